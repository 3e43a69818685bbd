package json

import (
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// An input is a window on a file that moves forward. What is unread is buf[begin:end]; a row, or whatever else is looked
// at as a whole, must fit in it, so that it grows where one does not.
type input struct {
	f    io.ReaderAt
	path string
	size int64 // bytes of the file; what is behind them was not there when it was opened
	most int   // bytes of the window, at most

	buf   []byte // slack bytes longer than what is read into it
	base  int64  // the offset of buf[0] in the file
	begin int
	end   int
	eof   bool // buf[end] is the end of the file
}

// slack is how many zero bytes there are behind the text: a loop that takes eight bytes at a time, or looks at one without
// asking whether it is there, meets a byte that has no place in JSON.
const slack = 8

// newInput returns an input whose window holds text bytes, fewer if the file is shorter. It stands at no place.
func newInput(f io.ReaderAt, path string, size int64, text, most int) *input {
	const least = 3 // a byte-order mark
	text = int(max(least, min(int64(min(text, most)), size)))
	return &input{f: f, path: path, size: size, most: most, buf: make([]byte, text+slack)}
}

// seek goes to an offset of the file.
func (in *input) seek(offset int64) {
	in.base, in.begin, in.end = offset, 0, 0
	in.eof = offset >= in.size
	clear(in.buf[:slack])
}

// offset returns where in the file buf[i] is.
func (in *input) offset(i int) int64 { return in.base + int64(i) }

// more reads until the window is full or the file ends. If it is full already, it is made larger. Places in buf move: what
// was at begin is at 0.
func (in *input) more() error {
	if in.eof {
		return nil
	}
	if in.begin > 0 {
		copy(in.buf, in.buf[in.begin:in.end])
		in.base += int64(in.begin)
		in.begin, in.end = 0, in.end-in.begin
	}
	if room := len(in.buf) - slack; in.end == room {
		if room >= in.most {
			return &colstore.Error{Op: "read", Path: in.path, Err: fmt.Errorf(
				"%w: the row or value that begins at byte %d is longer than %s (limits.page)", colstore.ErrFormat, in.base, colstore.ByteSize(in.most))}
		}
		bigger := make([]byte, min(2*room, in.most)+slack)
		copy(bigger, in.buf[:in.end])
		in.buf = bigger
	}
	from := in.offset(in.end)
	want := int(max(0, min(int64(len(in.buf)-slack-in.end), in.size-from)))
	n, err := in.f.ReadAt(in.buf[in.end:in.end+want], from)
	in.end += n
	clear(in.buf[in.end : in.end+slack])
	switch {
	case n == want:
	case errors.Is(err, io.EOF):
		return &colstore.Error{Op: "read", Path: in.path, Err: fmt.Errorf("%w: it was cut to %d bytes while it was read", colstore.ErrTruncated, from+int64(n))}
	default:
		return &colstore.Error{Op: "read", Path: in.path, Err: fsx.Bare(err)}
	}
	in.eof = from+int64(n) >= in.size
	return nil
}
