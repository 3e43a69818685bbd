package cstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/spool"
)

// survey is what can be read of a file that may be damaged.
type survey struct {
	r        io.ReaderAt
	size     int64
	o        *RepairOptions
	problems []error // what is wrong

	counters counters
	trusted  bool // the counters can be believed
	complete bool // although they cannot, no row is missing

	text   []byte // the manifest as stored; nil: it is written anew from the schema
	schema *colstore.Schema
	dataAt int64
	doubt  error // why the columns are not certain: the records must bear them out

	records     []foundRecord // the ones to keep, in order
	end         int64         // of the last of them
	footer      int64         // bytes of the statistics at end that are kept; 0 is none
	lost        Extent
	uncommitted Extent // whole records behind the committed ones
	behind      Extent // whole records behind damage
}

// foundRecord is a record whose rows are known and whose values are all in the file.
type foundRecord struct {
	at    int64 // offset of its header
	rows  int64
	index int64 // that its header has; -1 if the header is damaged
}

// problem adds what is wrong.
func (s *survey) problem(err error) { s.problems = append(s.problems, err) }

var errNotOurs = damaged(0, "not a .cstore file (its first bytes are not the magic)")

// examine surveys a file of the given size. like is the header of a file with the same columns, or nil.
//
// Errors: colstore.ErrFormat and what it covers for a file of which nothing can be made; the context's cause; those of r.
func examine(ctx context.Context, r io.ReaderAt, size int64, o *RepairOptions, like *header) (*survey, error) {
	reads := &watched{r: r}
	s, err := look(ctx, reads, size, o, like)
	if reads.err != nil {
		return nil, reads.err // what cannot be read is not damaged
	}
	return s, err
}

// watched keeps the first error of reading, whatever becomes of it.
type watched struct {
	r   io.ReaderAt
	err error
}

// ReadAt implements io.ReaderAt.
func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.r.ReadAt(p, off)
	if err != nil && err != io.EOF && w.err == nil {
		w.err = err
	}
	return n, err
}

func look(ctx context.Context, r io.ReaderAt, size int64, o *RepairOptions, like *header) (*survey, error) {
	s := &survey{r: r, size: size, o: o}
	var fixed [manifestAt]byte
	n := min(size, manifestAt)
	if err := readFull(r, fixed[:n], 0); err != nil {
		return nil, err
	}
	ours := string(fixed[:len(magic)]) == magic
	if n < manifestAt {
		if ours {
			return nil, truncated(size, fmt.Sprintf("the header alone takes %d bytes; nothing is left of the table", manifestAt))
		}
		return nil, errNotOurs
	}
	if !ours {
		s.problem(damaged(0, "the magic is damaged"))
	}
	s.readCounters(fixed[countersAt:][:countersSize])
	if err := s.readManifest(binary.LittleEndian.Uint64(fixed[manifestLenAt:]), like); err != nil {
		if !ours && like == nil {
			err = errNotOurs
		}
		return nil, err
	}
	if err := s.readChain(ctx); err != nil {
		return nil, err
	}
	s.readFooter()
	if err := s.checkStatistics(ctx); err != nil {
		return nil, err
	}
	if s.doubt != nil && !s.bornOut() {
		return nil, fmt.Errorf("%w; the records do not bear out the columns that were found: --schema-from names a file with the right ones", s.doubt)
	}
	if !ours && !s.trusted && len(s.records) == 0 && s.behind.Records == 0 {
		return nil, errNotOurs
	}
	return s, nil
}

func (s *survey) readCounters(b []byte) {
	c := counters{
		records:     int64(binary.LittleEndian.Uint64(b[0:])),
		rows:        int64(binary.LittleEndian.Uint64(b[8:])),
		statsOffset: int64(binary.LittleEndian.Uint64(b[16:])),
	}
	stored, sum := binary.LittleEndian.Uint32(b[countersCRC:]), crc32.ChecksumIEEE(b[:countersCRC])
	switch {
	case stored != sum:
		s.problem(badChecksum(countersAt+countersCRC, "the counters block", stored, sum))
	case c.records < 0 || c.rows < 0:
		s.problem(damaged(countersAt, "the counters say %d records and %d rows", c.records, c.rows))
	default:
		s.counters, s.trusted = c, true
	}
}

// readManifest finds the columns, and where the records begin.
func (s *survey) readManifest(length uint64, like *header) error {
	raw, schema, cause := s.statedManifest(length)
	if cause == nil {
		s.text, s.schema, s.dataAt = raw, schema, align(manifestAt+int64(len(raw)), dataAlign)
		return nil
	}
	s.problem(cause)
	if like != nil {
		s.schema, s.doubt = like.schema, cause
		s.dataAt = s.firstRecord(like.dataAt, length)
		return nil
	}
	if text, whole := s.wholeJSON(); whole != nil {
		s.text, s.schema, s.dataAt = text, whole, align(manifestAt+int64(len(text)), dataAlign)
		return nil
	}
	if named := s.namedByFooter(); named != nil {
		schema = named
	}
	if schema == nil {
		return fmt.Errorf("%w; without the columns no record can be read: --schema-from names a file with the same ones", cause)
	}
	s.schema, s.doubt = schema, cause
	text, err := encodeManifest(schema)
	if err != nil {
		return err
	}
	s.dataAt = s.firstRecord(align(manifestAt+int64(len(text)), dataAlign), length)
	return nil
}

// statedManifest reads the manifest of the length that the header states. Where all that is wrong is the number of
// its CRC, the columns are returned beside the error.
func (s *survey) statedManifest(length uint64) ([]byte, *colstore.Schema, error) {
	if left := uint64(s.size - manifestAt); length > left {
		return nil, nil, truncated(manifestLenAt, fmt.Sprintf("the manifest takes %d bytes, the file has %d left", length, left))
	}
	if length > maxManifest {
		return nil, nil, damaged(manifestLenAt, "a manifest of %d bytes is beyond reason", length)
	}
	raw := make([]byte, length)
	if err := readFull(s.r, raw, manifestAt); err != nil {
		return nil, nil, err
	}
	_, schema, err := parseManifest(raw)
	return raw, schema, err
}

// wholeJSON reads a manifest whose length is damaged: it ends with its JSON value.
func (s *survey) wholeJSON() ([]byte, *colstore.Schema) {
	raw := make([]byte, min(s.size-manifestAt, maxManifest))
	if readFull(s.r, raw, manifestAt) != nil {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return nil, nil
	}
	raw = raw[:d.InputOffset()]
	_, schema, err := parseManifest(raw)
	if err != nil {
		return nil, nil
	}
	return raw, schema
}

// namedByFooter returns the columns that the statistics name, which have a checksum of their own; nil if there are none.
func (s *survey) namedByFooter() *colstore.Schema {
	at := s.counters.statsOffset
	if !s.trusted || at < manifestAt || at > s.size-int64(statsFixed)-4 {
		return nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(s.r, at, s.size-at-4)); err != nil {
		return nil
	}
	var stored [4]byte
	if readFull(s.r, stored[:], s.size-4) != nil || binary.LittleEndian.Uint32(stored[:]) != sum.Sum32() {
		return nil
	}
	head := make([]byte, min(s.size-at-4, maxManifest))
	if readFull(s.r, head, at) != nil || !bytes.HasPrefix(head, []byte(statsMagic)) {
		return nil
	}
	n := binary.LittleEndian.Uint32(head[len(statsMagic)+4:])
	head = head[statsFixed:]
	text := func() (string, bool) {
		if len(head) < 2 || len(head)-2 < int(binary.LittleEndian.Uint16(head)) {
			return "", false
		}
		end := 2 + int(binary.LittleEndian.Uint16(head))
		v := string(head[2:end])
		head = head[end:]
		return v, true
	}
	var fields []colstore.Field
	for range n {
		name, ok := text()
		code, more := text()
		t, err := colstore.ParseCode(code)
		if !ok || !more || err != nil {
			return nil
		}
		fields = append(fields, colstore.Field{Name: name, Type: t})
	}
	schema, err := colstore.NewSchema(fields...)
	if err != nil || schema.Len() == 0 {
		return nil
	}
	return schema
}

// firstRecord returns where the records begin if the manifest does not tell: where its stated length puts them if there is
// a record, else at the offset that is likely.
func (s *survey) firstRecord(likely int64, length uint64) int64 {
	if length <= maxManifest {
		if at := align(manifestAt+int64(length), dataAlign); at != likely {
			if _, ok := s.headerAt(at); ok {
				return at
			}
		}
	}
	return likely
}

// headerAt returns the record whose header is at an offset, if there is one and its values are all in the file.
func (s *survey) headerAt(at int64) (foundRecord, bool) {
	var b [recordHeaderSize]byte
	if at > s.size-recordHeaderSize || readFull(s.r, b[:], at) != nil {
		return foundRecord{}, false
	}
	rows, _, err := checkRecordHeader(b[:], at, -1, s.schema.RowBytes())
	return foundRecord{at, rows, int64(binary.LittleEndian.Uint64(b[4:]))}, err == nil && s.fits(at, rows)
}

// fits reports whether the values of a record are all in the file; the padding behind them may be cut.
func (s *survey) fits(at, rows int64) bool {
	left := s.size - at - recordHeaderSize
	return left >= 0 && rows >= 0 && rows <= left/int64(s.schema.RowBytes())
}

// bornOut reports whether the records are laid out as columns of these widths make them: rows lie between two records, or
// the records end with the file, or with statistics that name the same columns.
func (s *survey) bornOut() bool {
	if n := len(s.records); n > 1 && rowsOf(s.records[:n-1]) > 0 {
		return true
	}
	return rowsOf(s.records) > 0 && s.lost == (Extent{}) && (s.footer > 0 || s.end == s.size)
}

// readFooter decides what becomes of the bytes behind the records.
func (s *survey) readFooter() {
	all := s.lost == (Extent{})
	switch at := s.counters.statsOffset; {
	case !s.trusted:
		s.footer = s.footerAt(s.end)
		if left := s.size - s.end; s.footer == 0 && all && left > 0 && !s.complete {
			s.lost = Extent{Records: Unknown, Rows: Unknown, Bytes: left}
		}
	case at == 0 || !all:
	case at == s.end && int64(len(s.records)) == s.counters.records:
		s.footer = s.footerAt(at)
		if over := s.size - at - s.footer; s.footer > 0 && over > 0 {
			s.problem(damaged(at+s.footer, "%d bytes behind the statistics keep readers from using them", over))
		}
		fallthrough
	default:
		if s.footer == 0 {
			s.problem(damaged(at, "the statistics are damaged or not there"))
		}
	}
}

// checkStatistics drops statistics that the values do not bear out.
func (s *survey) checkStatistics(ctx context.Context) error {
	if s.footer == 0 || len(s.records) == 0 {
		return nil
	}
	footer := readStats(s.r, &header{counters: counters{records: int64(len(s.records)), statsOffset: s.end}, description: &description{schema: s.schema}, size: s.end + s.footer}, s.end)
	prefix := prefixes(s.schema)
	var buf []byte
	for i, rec := range s.records {
		for c, f := range s.schema.All() {
			lo, hi, stated := footer.bounds(c, i)
			if !stated {
				continue
			}
			var found cell
			size := int64(f.Type.Size())
			at, step := rec.at+recordHeaderSize+rec.rows*int64(prefix[c]), max(1, spool.PieceBytes/size)
			for row := int64(0); row < rec.rows && !f.Type.IsString(); row += step {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				n := min(step, rec.rows-row)
				buf = slices.Grow(buf[:0], int(n*size))[:n*size]
				if err := readFull(s.r, buf, at+row*size); err != nil {
					return err
				}
				values, err := colstore.NewColumn(f.Type, int(n), buf)
				if err != nil {
					return err
				}
				found.add(values)
			}
			if lies := compareBounds(lo, hi, &found); len(lies) > 0 {
				s.footer = 0
				s.problem(&colstore.Error{Record: colstore.At(int64(i)), Column: f.Name, Err: lies[0]})
				return nil
			}
		}
	}
	return nil
}

// footerAt returns the bytes of a footer at an offset that names the columns and covers the records that are kept; 0 if
// there is none.
func (s *survey) footerAt(at int64) int64 {
	n, ok := statsSize(s.schema, int64(len(s.records)))
	if !ok || at > s.size || n > s.size-at || len(s.records) > math.MaxInt32 {
		return 0
	}
	h := &header{counters: counters{records: int64(len(s.records)), statsOffset: at}, description: &description{schema: s.schema}, size: at + n}
	if readStats(s.r, h, at) == nil {
		return 0
	}
	return n
}
