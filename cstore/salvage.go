package cstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
)

// readChain follows the records and decides which of them are the table.
func (s *survey) readChain(ctx context.Context) error {
	found, broken, err := s.chain(ctx)
	if err != nil {
		return err
	}
	rows := rowsOf(found)
	s.records, s.end = found, s.endOf(found)
	switch c := s.counters; {
	case !s.trusted && len(found) == 0:
		s.lost = Extent{Records: Unknown, Rows: Unknown} // a file without a record was cut, most likely
	case !s.trusted:
	case c.records <= int64(len(found)) && rowsOf(found[:c.records]) == c.rows:
		// What follows, whatever it is, was never committed.
		s.uncommitted = s.extent(found[c.records:])
		if !s.o.Uncommitted {
			s.records, s.end = found[:c.records], s.endOf(found[:c.records])
		}
		s.paddingCut()
		return nil
	case c.records > int64(len(found)) && rows < c.rows:
		s.lost = Extent{Records: c.records - int64(len(found)), Rows: c.rows - rows}
	default:
		s.problem(damaged(countersAt, "the counters say %s and %s, there are %s with %s", count(c.records, "record"), count(c.rows, "row"),
			count(int64(len(found)), "record"), count(rows, "row")))
		s.trusted = false
		s.complete = c.records > int64(len(found)) && rows == c.rows
	}
	s.paddingCut()
	if s.complete {
		return nil // records that are said to be there had no rows
	}
	if broken == nil || !s.trusted && (s.end == s.size || s.footerAt(s.end) > 0) {
		return nil
	}
	s.problem(broken)
	return s.salvage(ctx)
}

// count returns a number and its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// chain returns the whole records from the first on, and why no further one follows: nil at the end of the file.
func (s *survey) chain(ctx context.Context) (found []foundRecord, broken, err error) {
	at := s.dataAt
	var b [recordHeaderSize]byte
	fail := func(err error) ([]foundRecord, error, error) {
		return found, &colstore.Error{Record: colstore.At(int64(len(found))), Err: err}, nil
	}
	for {
		i := int64(len(found))
		if err := context.Cause(ctx); i%1024 == 0 && err != nil {
			return nil, nil, err
		}
		if at >= s.size && (!s.trusted || s.counters.records <= i) {
			return found, nil, nil
		}
		if at > s.size-recordHeaderSize {
			return fail(truncated(s.size, fmt.Sprintf("the record's header is at offset %d", at)))
		}
		if err := readFull(s.r, b[:], at); err != nil {
			return nil, nil, err
		}
		rows, body, err := checkRecordHeader(b[:], at, i, s.schema.RowBytes())
		if err != nil {
			return fail(err)
		}
		if !s.fits(at, rows) {
			return fail(truncated(s.size, fmt.Sprintf("the record's %s end at offset %d", count(rows, "row"), at+recordHeaderSize+body)))
		}
		found = append(found, foundRecord{at, rows, i})
		at += recordHeaderSize + body
	}
}

// paddingCut tells if only zeros are missing of the last record.
func (s *survey) paddingCut() {
	if s.end > s.size {
		s.problem(&colstore.Error{Record: colstore.At(int64(len(s.records) - 1)), Err: truncated(s.size, "the padding is cut, the values are all there")})
		s.end = s.size
	}
}

// salvage looks for records behind the damage at the end of the chain. A damaged header is made anew where its rows follow
// from what is intact: from the place of the next record, or from the counters.
func (s *survey) salvage(ctx context.Context) error {
	var found []foundRecord
	begin, end := s.end, s.size
	if off := s.counters.statsOffset; s.trusted && off > begin && off < end {
		end = off
	}
	most := int64(len(s.records)) + s.lost.Records
	at, gaps := begin, int64(0)
	for at < end {
		next := int64(len(s.records) + len(found))
		if s.trusted && next >= most {
			break
		}
		r, ok := s.headerAt(at)
		if !ok {
			var err error
			if r, ok, err = s.search(ctx, at+bodyAlign, end, next); err != nil {
				return err
			}
			if !ok {
				if rows := s.counters.rows - rowsOf(s.records) - rowsOf(found); s.trusted && next == most-1 && s.fits(at, rows) {
					found = append(found, foundRecord{at, rows, -1})
					at = s.endOf(found)
				}
				break
			}
			if rows, only := rowsBetween(at, r.at, s.schema.RowBytes()); only && r.index == next+1 {
				found = append(found, foundRecord{at, rows, -1})
			} else {
				gaps += r.at - at
			}
		}
		found = append(found, r)
		at = s.endOf(found)
	}
	if !s.trusted || int64(len(s.records)+len(found)) < most {
		gaps += max(0, end-at)
	}
	s.behind = s.extent(found)
	if s.o.Salvage && len(found) > 0 {
		s.records, s.end = append(s.records, found...), min(at, s.size)
		s.lost.Records, s.lost.Rows = s.lost.Records-s.behind.Records, s.lost.Rows-s.behind.Rows
	} else {
		gaps = end - begin
	}
	s.lost.Bytes = gaps
	if !s.trusted && gaps > 0 {
		s.lost.Records, s.lost.Rows = Unknown, Unknown
	} else if !s.trusted {
		s.lost = Extent{}
	}
	return nil
}

// rowsBetween returns how many rows a record holds whose header is at one offset and whose successor's at another, and
// whether no other number fits.
func rowsBetween(at, next int64, rowBytes int) (rows int64, only bool) {
	body := next - at - recordHeaderSize
	if body < 0 || body%bodyAlign != 0 {
		return 0, false
	}
	rows = body / int64(rowBytes)
	least := max(0, body-bodyAlign+int64(rowBytes)) / int64(rowBytes)
	return rows, rows == least && align(rows*int64(rowBytes), bodyAlign) == body
}

// searchBytes is what a search for a record reads at once.
const searchBytes = 1 << 20

// search returns the first record from an offset on, up to end, whose number is index or later.
func (s *survey) search(ctx context.Context, at, end, index int64) (foundRecord, bool, error) {
	buf := make([]byte, searchBytes+recordHeaderSize)
	for ; at < end; at += searchBytes {
		if err := context.Cause(ctx); err != nil {
			return foundRecord{}, false, err
		}
		part := buf[:min(int64(len(buf)), s.size-at)]
		if err := readFull(s.r, part, at); err != nil {
			return foundRecord{}, false, err
		}
		for i := 0; ; i++ {
			n := bytes.Index(part[i:], []byte(recordMagic))
			if n < 0 || i+n >= searchBytes || len(part)-i-n < recordHeaderSize {
				break
			}
			i += n
			off, b := at+int64(i), part[i:][:recordHeaderSize]
			if off%bodyAlign != 0 || off >= end {
				continue
			}
			rows, _, err := checkRecordHeader(b, off, -1, s.schema.RowBytes())
			numbered := int64(binary.LittleEndian.Uint64(b[4:]))
			if err == nil && s.fits(off, rows) && numbered >= index && (!s.trusted || numbered < s.counters.records) {
				return foundRecord{off, rows, numbered}, true, nil
			}
		}
	}
	return foundRecord{}, false, nil
}

// endOf returns where the record behind the last of these begins, or the first one of all.
func (s *survey) endOf(records []foundRecord) int64 {
	if len(records) == 0 {
		return s.dataAt
	}
	last := records[len(records)-1]
	body, _ := bodySize(last.rows, s.schema.RowBytes())
	return last.at + recordHeaderSize + body
}

func (s *survey) extent(records []foundRecord) Extent {
	e := Extent{Records: int64(len(records)), Rows: rowsOf(records)}
	for _, r := range records {
		body, _ := bodySize(r.rows, s.schema.RowBytes())
		e.Bytes += recordHeaderSize + body
	}
	return e
}

func rowsOf(records []foundRecord) int64 {
	n := int64(0)
	for _, r := range records {
		n += r.rows
	}
	return n
}
