package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sort"
	"sync"

	"github.com/colstore/colstore-go/internal/parallel"
)

// A survey is what one pass over the whole file told about its rows.
type survey struct {
	rows    int64
	index   *index
	longest int // bytes of text that the buffer had to hold
}

// pieceBytes is how much of a file one goroutine looks at before what it found is added to what was found before it.
const pieceBytes = 1 << 20

// A surveyor makes the first pass. The file is divided into pieces of so many bytes; the rows that begin in one are its.
// Where the first of them begins is known for certain once the piece before has been read. Until then it is taken to be
// behind the piece's first line break, which is right unless that lies within quotes: a piece that was begun at a wrong place
// is read again. Pieces are added up in their order, so that the number of goroutines changes no result and no error.
type surveyor struct {
	t       *file
	fresh   []guess // of which nothing has been seen
	guesses []guess
	index   *index
	longest int
	buffer  int // bytes of an input's, as long as no row is longer
	most    int // pieces that may be ahead of those that are added up
	inputs  sync.Pool

	mu    sync.Mutex
	turn  sync.Cond
	next  int // the number of the next piece to be added
	at    position
	ended bool
	err   error
	ahead map[int]*piece
	spare []*piece
}

// A piece is what was found in the rows of one. Rows and lines are counted from begin.
type piece struct {
	begin   position // of the first row
	end     position // of the first row behind
	ended   bool     // there is none
	guessed bool     // begin was not known for certain
	wrong   bool     // there is something wrong, unless it was begun at a wrong place
	starts  rowStarts
	guesses []guess
	longest int
}

// rowStarts are where rows begin, from a position on.
type rowStarts struct {
	offsets []uint32 // from that of the position
	lines   []uint32 // likewise; nil if every row is one line
}

// place returns where row r begins.
func (s *rowStarts) place(from position, r int) position {
	line := uint32(r)
	if s.lines != nil {
		line = s.lines[r]
	}
	return position{from.row + int64(r), from.offset + int64(s.offsets[r]), from.line + int64(line)}
}

// infer reads the whole file in threads goroutines and finishes the guesses.
func (t *file) infer(ctx context.Context, guesses []guess, threads int) (*survey, error) {
	if err := t.unchanged(); err != nil {
		return nil, err
	}
	v := &surveyor{
		t: t, fresh: guesses, guesses: append([]guess(nil), guesses...), index: newIndex(t.body),
		at: t.body, most: 2 * threads, ahead: map[int]*piece{},
	}
	v.buffer = len(t.input(t.sizes.text).buf)
	v.longest = v.buffer - slack
	v.turn.L = &v.mu
	pieces := int(max(1, (t.size-t.body.offset+t.sizes.piece-1)/t.sizes.piece))
	if err := parallel.Each(pieces, threads, func(i int) error { return v.survey(ctx, i) }); err != nil {
		return nil, err
	}
	copy(guesses, v.guesses)
	return &survey{v.at.row, v.index, v.longest}, t.unchanged()
}

// bound returns where the pieces from i on begin.
func (v *surveyor) bound(i int) int64 {
	return min(v.t.body.offset+int64(i)*v.t.sizes.piece, v.t.size)
}

// survey looks at a piece, and adds what follows on what has been added.
func (v *surveyor) survey(ctx context.Context, i int) (err error) {
	done := false
	defer func() {
		if !done { // by a panic too, or others would wait for ever
			v.fail(err)
		}
	}()
	p, known, err := v.begin(i)
	if err != nil {
		return err
	}
	in, ok := v.inputs.Get().(*input)
	if !ok {
		in = v.t.input(v.t.sizes.text)
		in.block = newBlock(len(v.t.names), v.t.sizes)
	}
	defer v.inputs.Put(in)
	stop := v.bound(i + 1)
	if known {
		if p.guessed = false; v.at.offset < stop && !v.ended {
			err = v.read(ctx, in, v.at, stop, p)
		}
	} else {
		err = v.speculate(ctx, in, v.bound(i), stop, p)
	}
	if err == nil {
		err = v.add(ctx, in, i, p)
	}
	done = err == nil
	return err
}

// errStopped is what goroutines end with when another one panicked.
var errStopped = errors.New("the first pass was stopped")

// begin waits until piece i is near enough to those that have been added. known tells that all before it have been: nobody
// changes where it begins then.
func (v *surveyor) begin(i int) (p *piece, known bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.err == nil && i >= v.next+v.most {
		v.turn.Wait()
	}
	if n := len(v.spare); n > 0 {
		p, v.spare = v.spare[n-1], v.spare[:n-1]
	} else {
		p = &piece{}
	}
	return p, i == v.next, v.err
}

// fail ends the survey.
func (v *surveyor) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		if v.err = err; err == nil {
			v.err = errStopped
		}
	}
	v.turn.Broadcast()
}

// add takes the next pieces into account, from piece i on if it is its turn.
func (v *surveyor) add(ctx context.Context, in *input, i int, p *piece) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ahead[i] = p
	for v.err == nil {
		p, ok := v.ahead[v.next]
		if !ok {
			return nil
		}
		delete(v.ahead, v.next)
		if stop := v.bound(v.next + 1); !v.ended && v.at.offset < stop {
			if p.guessed && (p.wrong || p.begin.offset != v.at.offset) {
				if err := v.read(ctx, in, v.at, stop, p); err != nil {
					return err
				}
			}
			v.count(p)
		}
		v.spare = append(v.spare, p)
		v.next++
		v.turn.Broadcast()
	}
	return v.err
}

// count adds a piece that follows on what has been added.
func (v *surveyor) count(p *piece) {
	rows := len(p.starts.offsets)
	begin, end := p.begin, p.end
	if p.guessed {
		begin = v.at
		end = position{begin.row + int64(rows), p.end.offset, begin.line + p.end.line - p.begin.line}
	}
	v.index.add(begin, &p.starts)
	for j := range v.guesses {
		v.guesses[j].merge(&p.guesses[j], begin.row)
	}
	v.longest = max(v.longest, p.longest)
	v.at, v.ended = end, p.ended
}

// speculate reads the piece from the first line break on. What is wrong with it is not told: the place may be.
func (v *surveyor) speculate(ctx context.Context, in *input, from, stop int64, p *piece) error {
	p.guessed, p.wrong = true, true
	if start := v.t.lineBehind(in.buf[:len(in.buf)-slack], from-1, stop); start >= 0 {
		err := v.read(ctx, in, position{offset: start}, stop, p)
		p.guessed, p.wrong = true, err != nil
	}
	return context.Cause(ctx)
}

// lineBehind returns the offset behind the first LF from an offset on, or -1 if none is found before stop. It reads into buf.
func (t *file) lineBehind(buf []byte, from, stop int64) int64 {
	for from < stop {
		n, err := t.f.ReadAt(buf[:min(int64(len(buf)), stop-from)], from)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i) + 1
		}
		if err != nil {
			break
		}
		from += int64(n)
	}
	return -1
}

// read looks at the rows from a position on that begin before stop.
func (v *surveyor) read(ctx context.Context, in *input, from position, stop int64, p *piece) error {
	*p = piece{begin: from, end: from, guesses: append(p.guesses[:0], v.fresh...), starts: rowStarts{offsets: p.starts.offsets[:0]}}
	if len(in.buf) > v.buffer { // a piece before had a longer row, or was begun within quotes
		in.buf = make([]byte, v.buffer)
	}
	in.reset(from)
	in.stop = stop
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		switch err := in.next(); {
		case errors.Is(err, io.EOF):
			p.end, p.ended, p.longest = in.at, true, len(in.buf)-slack
			return nil
		case errors.Is(err, errBeyond):
			p.end, p.longest = in.at, len(in.buf)-slack
			return nil
		case err != nil:
			return err
		}
		b := in.block
		row := len(p.starts.offsets)
		if row == 0 {
			p.begin = in.at.past(b.text[:b.starts[0]], 0)
		}
		rows := sort.Search(b.rows, func(r int) bool { return in.at.offset+int64(b.starts[r]) >= stop })
		p.starts.add(p.begin, in, rows)
		if rows < b.rows { // before the text is changed: quotes are drawn together in it
			p.end, p.longest = in.at.past(b.text[:b.starts[rows]], rows), len(in.buf)-slack
		}
		for i := range p.guesses {
			g := &p.guesses[i]
			c := b.column(v.t.d, g.column, 0, rows)
			g.add(&c, int64(row))
		}
		if rows < b.rows {
			return nil
		}
	}
}

// add appends the first rows of the input's block.
func (s *rowStarts) add(from position, in *input, rows int) {
	b := in.block
	// Every row has a line break at least.
	plain := in.after.line-in.at.line == int64(b.rows)
	if !plain && s.lines == nil {
		s.lines = make([]uint32, len(s.offsets), len(s.offsets)+rows)
		for i := range s.lines {
			s.lines[i] = uint32(i)
		}
	}
	base := uint32(in.at.offset - from.offset)
	for _, start := range b.starts[:rows] {
		s.offsets = append(s.offsets, base+start)
	}
	if s.lines == nil {
		return
	}
	at, line := uint32(0), uint32(in.at.line-from.line)
	for _, start := range b.starts[:rows] {
		line += uint32(lineBreaks(b.text[at:start]))
		at = start
		s.lines = append(s.lines, line)
	}
}
