package sink

import (
	"context"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/source/format"
)

// Stream starts an output that goes to w as it comes, for formats that are written front to back (CSV). Nothing can be
// taken back: Abort only ends it. Path, Replace, Mkdirs and Lock of the spec are not used.
//
// Errors: colstore.ErrOption for a format that cannot be written so.
func Stream(ctx context.Context, w io.Writer, s Spec) (colstore.Sink, error) {
	d := format.ByName(all.Table(), s.Format)
	if d == nil || d.Write == nil || d.Write.Stream == nil {
		return nil, fmt.Errorf("%w: %q cannot be written to a stream", colstore.ErrOption, s.Format)
	}
	o, err := format.CheckOptions("writing "+d.Name, d.Write.Options, s.Options)
	if err != nil {
		return nil, err
	}
	if err := d.CheckColumns(s.Schema); err != nil {
		return nil, err
	}
	return d.Write.Stream(ctx, w, &format.CreateRequest{Schema: s.Schema, Options: o, Threads: s.Threads})
}
