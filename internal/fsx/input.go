package fsx

import (
	"container/list"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/colstore/colstore-go"
)

// An Input is a file that is read at offsets. The process has few descriptors and a table may have thousands of files: of
// all inputs, only so many keep theirs while nobody reads from them, and the others open their file again when it is read.
//
// It is safe for concurrent use.
type Input struct {
	path    string
	first   fs.FileInfo // of the file as it was opened
	f       *os.File    // nil while the descriptor is given back
	readers int
	closed  bool
	idle    *list.Element
}

// inputs are the open descriptors of inputs that nobody reads from, the latest first. The limit on descriptors is the
// process's, so this is too.
var inputs = struct {
	sync.Mutex
	idle list.List
}{}

// OpenInput opens a file.
func OpenInput(path string) (*Input, error) {
	f, err := opened(path, giveBack)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	in := &Input{path: path, first: st, f: f, readers: 1}
	in.leave()
	return in, nil
}

// opened opens a file for reading; giveBack gives back what descriptors it can.
func opened(path string, giveBack func()) (*os.File, error) {
	return withDescriptor(func() (*os.File, error) { return openInput(path) }, giveBack)
}

// OpenRegular opens a file for reading, as os.Open does, but no pipe or device: the one would wait for its writer.
//
// Errors: colstore.ErrFormat for what is no regular file; those of the file system.
func OpenRegular(path string) (*os.File, error) {
	f, err := opened(path, giveBack)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file (%s)", colstore.ErrFormat, st.Mode().Type())
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}

// Opened tells of the file as it was when it was opened.
func (in *Input) Opened() fs.FileInfo { return in.first }

// ReadAt implements io.ReaderAt.
//
// Errors: fs.ErrClosed; colstore.ErrFormat if the descriptor had been given back, and the file changed since it was opened
// or another has taken its place.
func (in *Input) ReadAt(p []byte, at int64) (int, error) {
	f, err := in.enter()
	if err != nil {
		return 0, err
	}
	defer in.leave()
	return f.ReadAt(p, at)
}

// Stat tells of the file as it is now.
//
// Errors: those of ReadAt.
func (in *Input) Stat() (fs.FileInfo, error) {
	f, err := in.enter()
	if err != nil {
		return nil, err
	}
	defer in.leave()
	return f.Stat()
}

// Use calls f with the open file, which f must not close.
//
// Errors: those of ReadAt and of f.
func (in *Input) Use(f func(*os.File) error) error {
	file, err := in.enter()
	if err != nil {
		return err
	}
	defer in.leave()
	return f(file)
}

// Close closes the file. Reads that are under way end first.
//
// Errors: fs.ErrClosed if it is closed already.
func (in *Input) Close() error {
	inputs.Lock()
	defer inputs.Unlock()
	if in.closed {
		return &fs.PathError{Op: "close", Path: in.path, Err: fs.ErrClosed}
	}
	in.closed = true
	if in.readers > 0 {
		return nil // the last of them closes it
	}
	return in.drop()
}

// enter returns the open file, and keeps it open until leave.
func (in *Input) enter() (*os.File, error) {
	inputs.Lock()
	defer inputs.Unlock()
	if in.closed {
		return nil, &fs.PathError{Op: "read", Path: in.path, Err: fs.ErrClosed}
	}
	if in.f == nil {
		f, err := opened(in.path, func() { dropIdle(0) })
		if err != nil {
			return nil, err
		}
		if err := in.same(f); err != nil {
			_ = f.Close()
			return nil, err
		}
		in.f = f
	}
	if in.idle != nil {
		inputs.idle.Remove(in.idle)
		in.idle = nil
	}
	in.readers++
	return in.f, nil
}

// same returns an error if a file that was opened again is not the one that was opened first, as it was then. Its number
// alone does not tell: that of a file that was removed goes to the next one.
func (in *Input) same(f *os.File) error {
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(st, in.first):
		return fmt.Errorf("%w: another file has taken its place since it was opened", colstore.ErrFormat)
	case st.Size() != in.first.Size() || !st.ModTime().Equal(in.first.ModTime()):
		return fmt.Errorf("%w: it changed since it was opened; read it again when it is complete, or a copy of it", colstore.ErrFormat)
	}
	return nil
}

func (in *Input) leave() {
	inputs.Lock()
	defer inputs.Unlock()
	in.readers--
	switch {
	case in.readers > 0:
		return
	case in.closed:
		_ = in.drop() // it was only read
		return
	}
	in.idle = inputs.idle.PushFront(in)
	dropIdle(idleInputs())
}

// drop gives the descriptor back.
func (in *Input) drop() error {
	if in.idle != nil {
		inputs.idle.Remove(in.idle)
		in.idle = nil
	}
	f := in.f
	in.f = nil
	if f == nil {
		return nil
	}
	return f.Close()
}
