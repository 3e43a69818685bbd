package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/text"
)

// A position is where a row begins.
type position struct {
	row    int64 // its number among the rows of data; -1 for the header
	offset int64 // in the file
	line   int64 // the number of the line, from 1
}

// past returns the position behind text, which holds some whole rows.
func (p position) past(text []byte, rows int) position {
	return position{p.row + int64(rows), p.offset + int64(len(text)), p.line + lineBreaks(text)}
}

// An input reads a file block by block.
type input struct {
	f    io.ReaderAt
	path string
	d    *dialect
	size int64 // bytes of the file; what is behind them was not there when it was opened
	most int   // bytes of the longest row

	block *block
	at    position // of the block's text, which is buf[begin:end]
	after position // of what is behind the block's rows
	buf   []byte   // slack bytes longer than what is read into it
	begin int
	end   int
	eof   bool  // buf[end] is the end of the file
	stop  int64 // of the file: only the row that lies across it is still wanted; 0 for none
	past  int   // bytes to read beyond stop at a time
}

// slack is for reading behind the text, and for the line break that the file's last line may lack.
const slack = pad + 1

// newInput returns an input whose buffer holds text bytes, fewer if the file is shorter; reset says where it starts.
func newInput(f io.ReaderAt, path string, d *dialect, size int64, text, most int) *input {
	const least = 3 // a byte-order mark
	text = int(max(least, min(int64(min(text, most)), size)))
	return &input{f: f, path: path, d: d, size: size, most: most, buf: make([]byte, text+slack)}
}

// leastPast is about a row.
const leastPast = 4 << 10

// reset makes the row at p the next one.
func (in *input) reset(p position) {
	in.at, in.after = p, p
	in.begin, in.end, in.eof = 0, 0, false
	in.stop, in.past = 0, leastPast
	if in.block != nil {
		in.block.rows, in.block.next, in.block.full = 0, 0, false
	}
}

// next finds the cells of the next rows, at least one. Those of the block before are gone.
//
// Errors: io.EOF behind the last row; errBeyond if no more row begins before in.stop, which is not always noticed; what is wrong with the file, naming path, line and row.
func (in *input) next() error {
	b := in.block
	in.begin += b.next
	in.at = in.after
	if !b.full {
		if err := in.more(nil); err != nil {
			return err
		}
	}
	for {
		b.text = in.buf[in.begin:in.end:len(in.buf)]
		wrong := b.tokenize(in.d)
		if wrong != nil && (!wrong.opened || in.eof) {
			return in.failed(wrong)
		}
		in.after = position{in.at.row + int64(b.rows), in.at.offset + int64(b.next), in.at.line + b.lines}
		if b.rows > 0 {
			return nil
		}
		in.skip(b.next) // blank lines
		switch {
		case in.eof:
			return io.EOF
		case in.stop > 0 && in.at.offset >= in.stop:
			return errBeyond
		}
		if err := in.more(wrong); err != nil {
			return err
		}
	}
}

var errBeyond = errors.New("no more row begins before the end of the piece")

// skip leaves n bytes behind, which are whole lines.
func (in *input) skip(n int) {
	in.at = in.at.past(in.buf[in.begin:in.begin+n], 0)
	in.after = in.at
	in.begin += n
	if in.block != nil {
		in.block.next = 0
	}
}

// lineBreaks counts LF, CR LF and CR in whole lines.
func lineBreaks(p []byte) int64 {
	n := bytes.Count(p, []byte{'\n'})
	for {
		i := bytes.IndexByte(p, '\r')
		if i < 0 {
			return int64(n)
		}
		if i+1 == len(p) || p[i+1] != '\n' {
			n++
		}
		p = p[i+1:]
	}
}

// more reads until the buffer is full or the file ends, where it adds the line break that the last line may lack. If
// the buffer is full already, it is made larger. opened, if not nil, is the quote that the text ends within.
func (in *input) more(opened *syntaxError) error {
	if in.eof {
		return nil
	}
	if in.begin > 0 {
		copy(in.buf, in.buf[in.begin:in.end])
		in.begin, in.end = 0, in.end-in.begin
	}
	if room := len(in.buf) - slack; in.end == room {
		if room >= in.most {
			return in.failed(in.tooLong(opened))
		}
		bigger := make([]byte, min(2*room, in.most)+slack)
		copy(bigger, in.buf[:in.end])
		in.buf = bigger
	}
	from := in.at.offset + int64(in.end)
	want := int(max(0, min(int64(len(in.buf)-slack-in.end), in.size-from)))
	switch {
	case in.stop == 0:
	case from < in.stop:
		want = int(min(int64(want), in.stop-from))
	default:
		want = min(want, in.past)
		in.past = min(2*in.past, len(in.buf)) // the row is a long one: its text is looked at again for every read
	}
	n, err := in.f.ReadAt(in.buf[in.end:in.end+want], from)
	in.end += n
	switch {
	case n == want:
	case errors.Is(err, io.EOF):
		return &colstore.Error{Op: "read", Path: in.path, Err: fmt.Errorf("%w: it was cut to %d bytes while it was read", colstore.ErrTruncated, from+int64(n))}
	default:
		return &colstore.Error{Op: "read", Path: in.path, Err: fsx.Bare(err)}
	}
	if from+int64(n) >= in.size {
		in.eof = true
		if in.end > 0 && in.buf[in.end-1] != '\n' {
			in.buf[in.end] = '\n'
			in.end++
		}
	}
	return nil
}

func (in *input) tooLong(opened *syntaxError) *syntaxError {
	limit := colstore.ByteSize(in.most)
	if opened != nil {
		return &syntaxError{at: opened.at, what: fmt.Sprintf("the quote that opens here is not closed within %s (limits.page)", limit)}
	}
	return &syntaxError{what: fmt.Sprintf("the row that begins here is longer than %s (limits.page)", limit)}
}

// failed returns the error for what is wrong with the row at the beginning of the text.
func (in *input) failed(err *syntaxError) error {
	line := in.at.line + lineBreaks(in.buf[in.begin:in.begin+err.at])
	return &colstore.Error{
		Op: "read", Path: in.path, Row: colstore.At(in.at.row),
		Err: fmt.Errorf("%w: line %d: %s", colstore.ErrFormat, line, err.what),
	}
}

// clip returns the beginning of a text, for messages.
func clip(p []byte) string { return text.Clip(p) }
