package json

import (
	"context"

	"github.com/colstore/colstore-go/source/format"
)

// OpenSized opens a file with windows and blocks of other sizes, so that their borders are everywhere.
func OpenSized(ctx context.Context, r *format.OpenRequest, text, cells int) (format.File, error) {
	orient := orientLines
	if r.Options["orient"] != nil {
		orient = r.Options.Text("orient")
	}
	return openWith(ctx, r, orient, sizes{text, cells})
}
