package feather

import (
	"context"

	"github.com/colstore/colstore-go/internal/fsx"
)

// ReadFooter reads the metadata of a file by its footer.
func ReadFooter(in *fsx.Input, size int64) error {
	return (&file{f: in, size: size}).readFile(context.Background())
}
