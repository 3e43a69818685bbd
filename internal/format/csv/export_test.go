package csv

import (
	"context"

	"github.com/colstore/colstore-go/source/format"
)

// OpenSized opens a file with blocks of other sizes, so that borders of blocks are everywhere.
func OpenSized(ctx context.Context, r *format.OpenRequest, text, cells, rows int) (format.File, error) {
	return openWith(ctx, r, sizes{text, cells, rows, int64(3 * text)})
}
