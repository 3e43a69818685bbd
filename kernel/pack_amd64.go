//go:build !purego

package kernel

import (
	"sync"
	"unsafe"
)

// A packer writes records from columns, interleaveRows at a time. Neighbouring fields of one narrow width become one of twice
// that width first, again and again, so that a record takes few stores.
type packer struct {
	pairs  []couple // in the order to make them
	pieces []piece
	room   []byte // for the values of pairs, then for records
}

// A couple is two pieces of up to 4 bytes that become one.
type couple struct {
	a, b piece
	to   int // in room
}

// A piece is one or more neighbouring fields, as a column.
type piece struct {
	lane
	kind       pieceKind
	room       int // where in room its values are made, for each block of rows, if it is a pair
	size, word int
	at         int // of a record
}

type pieceKind uint8

const (
	pieceAlone  pieceKind = iota // a column that is moved as it is
	pieceColumn                  // a column that may become one of a pair
	piecePair                    // a pair
	pieceFour                    // the first of four columns that are moved at once
)

var packers = sync.Pool{New: func() any { return new(packer) }}

// packFast writes the records of whole blocks of rows from the front, and returns how many rows that were.
func packFast(dst []byte, fields []field, width, rows int, past bool) int {
	past = past && has(LevelAVX2) && interleaveRows*width <= mostStaged
	if rows < interleaveRows || !has(LevelSSE) {
		return 0
	}
	p := packers.Get().(*packer)
	defer p.free()
	p.plan(fields, unsafe.Pointer(unsafe.SliceData(dst)))
	if len(p.pairs) == 0 && !past {
		return 0
	}
	staged := len(p.pairs) * pairBytes
	if need := staged + mostStaged; len(p.room) < need {
		p.room = make([]byte, need)
	}
	stage := p.room[staged : staged+min(interleaveRows*width, mostStaged)]
	row := 0
	for ; row+interleaveRows <= rows; row += interleaveRows {
		records := dst[row*width : (row+interleaveRows)*width]
		if !past || leading(unsafe.SliceData(records)) != 0 {
			p.fill(unsafe.Pointer(unsafe.SliceData(records)), width, row)
			continue
		}
		p.fill(unsafe.Pointer(unsafe.SliceData(stage)), width, row)
		n := streamFast(records, stage)
		copy(records[n:], stage[n:])
	}
	if past {
		storeFence()
	}
	return row
}

const (
	// pairBytes is what the values of a pair take at most: 8 bytes a row.
	pairBytes = 8 * interleaveRows
	// mostStaged is how many bytes of records lie in the first-level cache before they are written past it.
	mostStaged = 8 << 10
)

// plan finds what becomes pairs of the fields of records that begin at dst.
func (p *packer) plan(fields []field, dst unsafe.Pointer) {
	for len(fields) > 0 {
		f := fields[0]
		at := int(uintptr(f.record.data) - uintptr(dst))
		if zipped(fields) == 4 {
			for i, f := range fields[:4] {
				kind := pieceAlone
				if i == 0 {
					kind = pieceFour
				}
				p.pieces = append(p.pieces, piece{lane: f.column, kind: kind, size: 4, word: 1, at: at + 4*i})
			}
			fields = fields[4:]
			continue
		}
		fields = fields[1:]
		kind := pieceAlone
		if f.word == 1 && f.column.step == f.size && f.size <= 8 && f.size&(f.size-1) == 0 {
			kind = pieceColumn
		}
		p.pieces = append(p.pieces, piece{lane: f.column, kind: kind, size: f.size, word: f.word, at: at})
		for n := len(p.pieces); n >= 2 && p.pieces[n-2].joins(&p.pieces[n-1], 4); n-- {
			a, b := p.pieces[n-2], p.pieces[n-1]
			to := len(p.pairs) * pairBytes
			p.pairs = append(p.pairs, couple{a, b, to})
			p.pieces[n-2] = piece{lane: lane{step: 2 * a.size}, kind: piecePair, room: to, size: 2 * a.size, word: 1, at: a.at}
			p.pieces = p.pieces[:n-1]
		}
	}
}

// joins reports whether two pieces become one, if they have up to so many bytes.
func (a *piece) joins(b *piece, most int) bool {
	joins := func(k pieceKind) bool { return k == pieceColumn || k == piecePair }
	return joins(a.kind) && joins(b.kind) && a.size == b.size && a.size <= most
}

// from returns where the values of a piece lie from a row on, which is the first of a block.
func (p *packer) from(q *piece, row int) unsafe.Pointer {
	if q.kind == piecePair {
		return unsafe.Pointer(&p.room[q.room])
	}
	return q.lane.at(row)
}

// fill writes the records of the block of rows that begins with a row.
func (p *packer) fill(records unsafe.Pointer, width, row int) {
	for i := range p.pairs {
		q := &p.pairs[i]
		to, a, b := &p.room[q.to], (*byte)(p.from(&q.a, row)), (*byte)(p.from(&q.b, row))
		switch q.a.size {
		case 1:
			pair1(to, a, b, interleaveRows/16)
		case 2:
			pair2(to, a, b, interleaveRows/8)
		case 4:
			pair4(to, a, b, interleaveRows/4)
		}
	}
	for i := 0; i < len(p.pieces); i++ {
		q := &p.pieces[i]
		from, record := p.from(q, row), unsafe.Add(records, q.at)
		switch next := i + 1; {
		case q.kind == pieceFour:
			b, c, d := p.pieces[next].lane.at(row), p.pieces[next+1].lane.at(row), p.pieces[next+2].lane.at(row)
			zip4x4((*byte)(from), (*byte)(b), (*byte)(c), (*byte)(d), (*byte)(record), width, interleaveRows/4)
			i += 3
		case q.size == 8 && next < len(p.pieces) && q.joins(&p.pieces[next], 8):
			zip2x8((*byte)(from), (*byte)(p.from(&p.pieces[next], row)), (*byte)(record), width, interleaveRows/2)
			i++
		default:
			moveLane(lane{record, width}, lane{from, q.step}, interleaveRows, q.size, q.word)
		}
	}
}

// free gives a packer back, and forgets what it points to.
func (p *packer) free() {
	clear(p.pairs)
	clear(p.pieces[:cap(p.pieces)]) // those behind the last became one with it
	p.pairs, p.pieces = p.pairs[:0], p.pieces[:0]
	packers.Put(p)
}
