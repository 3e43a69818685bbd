package format

import (
	"context"
	"io"

	"github.com/colstore/colstore-go/internal/fsx"
)

// An Output is a file that appears whole at Commit, or not at all. Until then it has a hidden name beside its place, and
// what lies in its place stays as it was; a program that dies leaves nothing that a reader would take for a file.
//
// It is what a sink writes into: its Prepare, Commit and Abort do what colstore.Preparer and colstore.Sink ask for. It
// buffers nothing. Bytes may be written at any offset, from several goroutines; Write appends and belongs to one of them.
type Output struct{ staged *fsx.Staged }

var _ interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
} = (*Output)(nil)

// Stage starts the output that r asks for: at its path, replacing and making folders as it says.
//
// Errors: colstore.ErrExists, colstore.ErrLocked, those of the file system, naming the path.
func (r *CreateRequest) Stage(ctx context.Context) (*Output, error) {
	staged, err := fsx.Stage(fsx.Of(ctx), r.Path, fsx.StageOptions{Replace: r.Replace, Mkdirs: r.Mkdirs, Lock: r.Lock})
	if err != nil {
		return nil, err
	}
	return &Output{staged}, nil
}

// Write appends p.
func (o *Output) Write(p []byte) (int, error) { return o.staged.Write(p) }

// WriteAt writes p at an offset.
func (o *Output) WriteAt(p []byte, off int64) (int, error) { return o.staged.WriteAt(p, off) }

// ReadAt reads what was written.
func (o *Output) ReadAt(p []byte, off int64) (int, error) { return o.staged.ReadAt(p, off) }

// Warnings returns what was noticed that is no error; a sink makes them its own, as a colstore.Warner.
func (o *Output) Warnings() []string { return o.staged.Warnings() }

// Prepare makes what was written durable; what Commit does then is unlikely to fail.
func (o *Output) Prepare() error { return o.staged.Prepare() }

// Commit gives the file its name. On an error what was there before is untouched, and Abort cleans up.
func (o *Output) Commit() error { return o.staged.Commit() }

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (o *Output) Abort() error { return o.staged.Abort() }

// Cause returns what a failed call of an output says without the operation and the hidden name, for an error that names
// the path asked for.
func Cause(err error) error { return fsx.Bare(err) }
