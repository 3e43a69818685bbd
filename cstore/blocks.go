package cstore

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/spool"
)

// blocks is the layout of records of a fixed number of rows, but for the last. Since that decides where a row goes, rows
// can be written in any order once their number is known.
type blocks struct {
	form
	size  int64 // rows of a record
	total int64 // reserved rows; -1: they come in order, their number is what came

	gather  spool.Gather // the last rows of those that come in order
	placed  int64        // rows of those that come in order and are in the file
	written atomic.Int64 // rows of those that are reserved
}

func newBlocks(f form, size, total int64) *blocks {
	return &blocks{form: f, size: size, total: total, gather: spool.NewGather(f.schema, min(size, spool.GatherRows(f.schema)))}
}

// length returns how many rows there are, as far as is known.
func (l *blocks) length() int64 {
	if l.total >= 0 {
		return l.written.Load()
	}
	return l.placed + int64(l.gather.Rows())
}

func (l *blocks) count() (records, rows int64) {
	rows = l.length()
	return l.records + (rows+l.size-1)/l.size, l.rows + rows
}

func (l *blocks) discard() error { return nil }

// write appends rows: those of small batches are gathered, so that a column of a few rows is no call of the system.
func (l *blocks) write(b *colstore.Batch) error {
	if l.gather.Fits(b) {
		l.gather.Add(b)
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	if l.gather.Fits(b) {
		l.gather.Add(b)
		return nil
	}
	if err := l.place(l.placed, b); err != nil {
		return err
	}
	l.placed += int64(b.Rows())
	return nil
}

// flush writes the gathered rows. After an error they still are.
func (l *blocks) flush() error {
	b, err := l.gather.Batch()
	if err != nil || b.Rows() == 0 {
		return err
	}
	if err := l.place(l.placed, b); err != nil {
		return err
	}
	l.placed += int64(b.Rows())
	l.gather.Keep(0)
	return nil
}

// writeAt writes reserved rows.
func (l *blocks) writeAt(row int64, b *colstore.Batch) error {
	if row < 0 || row > l.total-int64(b.Rows()) {
		return fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, row, row+int64(b.Rows()), l.total)
	}
	if err := l.place(row, b); err != nil {
		return err
	}
	l.written.Add(int64(b.Rows()))
	return nil
}

// at returns the offset of new record i; all before it are full.
func (l *blocks) begin(i int64) int64 {
	full, _ := bodySize(l.size, l.schema.RowBytes())
	return l.at + i*(recordHeaderSize+full)
}

// unspool copies the rows of a spool to the places of the reserved ones, which are all of one record.
func (l *blocks) unspool(s *spool.Spool) error {
	if err := s.Flush(); err != nil {
		return err
	}
	for i, p := range l.prefix {
		t := l.schema.Field(i).Type
		buf := make([]byte, max(1, bufferBytes/t.Size())*t.Size())
		at := l.begin(0) + recordHeaderSize + int64(p)*l.total
		for values, more := s.Column(i), true; more; {
			n, err := io.ReadFull(values, buf)
			if more = err == nil; !more && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return err
			}
			if err := spool.WriteAt(l.out, buf[:n], at); err != nil {
				return err
			}
			at += int64(n)
			if l.stats != nil && n > 0 {
				c, err := colstore.NewColumn(t, n/t.Size(), buf[:n])
				if err != nil {
					return err
				}
				l.stats.add(l.records, i, c)
			}
		}
	}
	l.written.Store(l.total)
	return nil
}

// capacity returns how many rows record i is laid out for. While the number of rows is unknown that is a full record;
// finish draws the last one together.
func (l *blocks) capacity(i int64) int64 {
	if l.total < 0 {
		return l.size
	}
	return max(0, min(l.size, l.total-i*l.size))
}

// reserve takes the room of the reserved rows from the disk: one that is too full is found out before the first byte is
// written.
func (l *blocks) reserve() error {
	last := max(0, l.total-1) / l.size
	body, _ := bodySize(l.capacity(last), l.schema.RowBytes())
	return l.out.Reserve(l.begin(last) + recordHeaderSize + body)
}

// place writes the rows of b, of which the first is row of the new rows.
func (l *blocks) place(row int64, b *colstore.Batch) error {
	type bounds struct {
		record int64
		cells  []cell
	}
	var found []bounds
	for done := 0; done < b.Rows(); {
		block, within := (row+int64(done))/l.size, (row+int64(done))%l.size
		n := int(min(int64(b.Rows()-done), l.size-within))
		part := b.Slice(done, done+n)
		body := l.begin(block) + recordHeaderSize
		for i, p := range l.prefix {
			size := int64(l.schema.Field(i).Type.Size())
			if err := spool.WriteColumn(l.out, part.At(i), body+int64(p)*l.capacity(block)+within*size); err != nil {
				return err
			}
		}
		if l.stats != nil {
			found = append(found, bounds{l.records + block, l.stats.fold(nil, part)})
		}
		done += n
	}
	// Not before all is written: a failed write leaves no bounds behind.
	for _, f := range found {
		l.stats.put(f.record, f.cells)
	}
	return nil
}

// finish writes the record headers.
func (l *blocks) finish() (int64, error) {
	if err := l.flush(); err != nil {
		return 0, err
	}
	rows := l.length()
	if l.total >= 0 && rows != l.total {
		return 0, fmt.Errorf("%w: %d rows were reserved, %d were written", colstore.ErrMismatch, l.total, rows)
	}
	if rows == 0 {
		return l.at, nil
	}
	end := l.at
	for i := range (rows + l.size - 1) / l.size {
		n := min(l.size, rows-i*l.size)
		body := l.begin(i) + recordHeaderSize
		if n < l.capacity(i) {
			if err := l.drawTogether(body, n); err != nil {
				return 0, err
			}
		}
		if _, err := l.out.WriteAt(encodeRecordHeader(l.records+i, n), body-recordHeaderSize); err != nil {
			return 0, err
		}
		end = body + n*int64(l.schema.RowBytes())
	}
	// What drawing together left behind goes, and the padding is zeros.
	if err := l.out.Truncate(end); err != nil {
		return 0, err
	}
	end = align(end, bodyAlign)
	return end, l.out.Truncate(end)
}

// drawTogether moves the columns of a record that was laid out for a full one to where n rows put them.
func (l *blocks) drawTogether(body, n int64) error {
	for i, p := range l.prefix[1:] {
		size := int64(l.schema.Field(i + 1).Type.Size())
		if err := copyWithin(l.out, body+int64(p)*n, body+int64(p)*l.size, n*size); err != nil {
			return err
		}
	}
	return nil
}
