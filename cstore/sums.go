package cstore

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// SumsMode says what [Verify] does about a file of sums.
type SumsMode uint8

// The modes. The zero value is the default.
const (
	SumsAuto     SumsMode = iota // values are held against the file of sums if there is one
	SumsOff                      // it is left alone
	SumsRequired                 // that there is none, or that it lacks records, is a finding
)

var sumsModes = []string{"auto", "off", "required"}

// ParseSumsMode reads "auto", "off" or "required".
//
// Errors: colstore.ErrOption with the choices.
func ParseSumsMode(s string) (SumsMode, error) {
	if i := slices.Index(sumsModes, s); i >= 0 {
		return SumsMode(i), nil
	}
	return SumsAuto, fmt.Errorf("%w: sums are auto, off or required, not %q", colstore.ErrOption, s)
}

// SumsPath returns the path of the sums of the file at path.
func SumsPath(path string) string { return path + ".sums" }

// The layout of a file of sums: docs/format.md, "Sums".
const (
	sumsVersion = 1
	sumsHash    = "crc32c"
	// sumsBlock is how many bytes of a column one sum covers. It is how finely damage is located; a sum takes eight digits.
	sumsBlock = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums are checksums of the values of a file: of each record and column, of each block.
type sums struct {
	schema  uint32 // CRC of the manifest that the columns give
	dataAt  int64
	blocks  []int64 // rows of a block, by column
	records []int64 // rows, by record
	first   []int   // index of the first sum, by record and column; one more at the end
	values  []uint32
}

// newSums returns room for the sums of records of a schema.
func newSums(s *colstore.Schema, dataAt int64) (*sums, error) {
	text, err := encodeManifest(s)
	if err != nil {
		return nil, err
	}
	t := &sums{schema: crc32.ChecksumIEEE(text), dataAt: dataAt, first: []int{0}}
	for _, f := range s.All() {
		t.blocks = append(t.blocks, int64(max(1, sumsBlock/f.Type.Size())))
	}
	return t, nil
}

// grow makes room for a record.
func (s *sums) grow(rows int64) {
	s.records = append(s.records, rows)
	n := len(s.values)
	for _, b := range s.blocks {
		n += int((rows + b - 1) / b)
		s.first = append(s.first, n)
	}
	s.values = slices.Grow(s.values, n-len(s.values))[:n]
}

// of returns the sums of a column of a record.
func (s *sums) of(record, column int) []uint32 {
	i := record*len(s.blocks) + column
	return s.values[s.first[i]:s.first[i+1]]
}

// sum returns the checksum of values, all in one block.
func sum(values []byte) uint32 { return crc32.Checksum(values, castagnoli) }

type (
	sumsHead struct {
		Version    int      `json:"sums_version"`
		Algorithm  string   `json:"algorithm"`
		BlockBytes int      `json:"block_bytes"`
		Schema     uint32   `json:"schema_crc32"`
		DataOffset int64    `json:"data_offset"`
		Columns    []string `json:"columns"`
	}
	sumsRecord struct {
		Record int      `json:"record"`
		Rows   int64    `json:"rows"`
		Sums   []string `json:"sums"`
	}
	sumsEnd struct {
		Records int    `json:"records"`
		Sum     string `json:"crc32c"`
	}
)

// write writes the sums as the file at path, which appears whole or not at all.
func (s *sums) write(fsys fsx.FS, path string, schema *colstore.Schema) (err error) {
	staged, err := fsx.Stage(fsys, path, fsx.StageOptions{Replace: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, staged.Abort()) }()
	crc := uint32(0)
	out := bufio.NewWriterSize(staged, bufferBytes)
	line := func(v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		text = append(text, '\n')
		crc = crc32.Update(crc, castagnoli, text)
		_, err = out.Write(text)
		return err
	}
	head := sumsHead{Version: sumsVersion, Algorithm: sumsHash, BlockBytes: sumsBlock, Schema: s.schema, DataOffset: s.dataAt}
	for _, f := range schema.All() {
		head.Columns = append(head.Columns, f.Name)
	}
	if err := line(head); err != nil {
		return err
	}
	for i, rows := range s.records {
		r := sumsRecord{Record: i, Rows: rows, Sums: make([]string, len(s.blocks))}
		for c := range r.Sums {
			var text []byte
			for _, v := range s.of(i, c) {
				text = fmt.Appendf(text, "%08x", v)
			}
			r.Sums[c] = string(text)
		}
		if err := line(r); err != nil {
			return err
		}
	}
	if err := line(sumsEnd{len(s.records), fmt.Sprintf("%08x", crc)}); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return &colstore.Error{Op: "write", Path: path, Err: fsx.Bare(err)}
	}
	return staged.Commit()
}

// errStale is that sums are of another version of the file.
var errStale = fmt.Errorf("%w: the sums are of another version of the file", colstore.ErrMismatch)

// readSums reads the sums of a file with these columns and records; nil if there are none.
//
// Errors: errStale; colstore.ErrFormat for a damaged file of sums; those of the file system.
func readSums(fsys fsx.FS, path string, r *Reader, dataAt int64) (_ *sums, err error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsx.Bare(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := sumsLines{in: bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), bufferBytes)}
	var head sumsHead
	if err := lines.next(&head); err != nil {
		return nil, err
	}
	if head.Version != sumsVersion || head.Algorithm != sumsHash || head.BlockBytes != sumsBlock {
		return nil, fmt.Errorf("%w: the sums are of version %d, %q over %d bytes; this program reads version %d, %q over %d", colstore.ErrFormat,
			head.Version, head.Algorithm, head.BlockBytes, sumsVersion, sumsHash, sumsBlock)
	}
	s, err := newSums(r.schema, dataAt)
	if err != nil {
		return nil, err
	}
	stale := head.Schema != s.schema || head.DataOffset != dataAt
	for {
		crc := lines.crc
		var end sumsEnd
		var rec sumsRecord
		if err := lines.next(&rec); err != nil {
			return nil, err
		}
		if rec.Sums == nil {
			if err := json.Unmarshal(lines.line, &end); err != nil || end.Sum != fmt.Sprintf("%08x", crc) || end.Records != lines.n-2 {
				return nil, lines.damaged("the sums do not match their own checksum")
			}
			if _, err := lines.in.Peek(1); err != io.EOF {
				return nil, lines.damaged("something is behind the sums")
			}
			break
		}
		i := rec.Record
		if stale = stale || i >= len(r.records) || rec.Rows != r.records[i].rows; stale {
			continue
		}
		if i != len(s.records) || len(rec.Sums) != len(s.blocks) {
			return nil, lines.damaged("the sums are not those of record %d", len(s.records))
		}
		s.grow(rec.Rows)
		for c, text := range rec.Sums {
			raw, err := hex.DecodeString(text)
			if want := s.of(i, c); err != nil || len(raw) != 4*len(want) {
				return nil, lines.damaged("the sums of column %d are not %d", c, len(want))
			} else {
				for k := range want {
					want[k] = uint32(raw[4*k])<<24 | uint32(raw[4*k+1])<<16 | uint32(raw[4*k+2])<<8 | uint32(raw[4*k+3])
				}
			}
		}
	}
	if stale {
		return nil, errStale
	}
	return s, nil
}

// sumsLines reads a file of sums line by line.
type sumsLines struct {
	in   *bufio.Reader
	line []byte
	n    int
	crc  uint32 // of the lines so far
}

// next decodes the next line.
func (l *sumsLines) next(v any) error {
	line, err := l.in.ReadBytes('\n')
	l.line, l.n = line, l.n+1
	if err == io.EOF {
		return fmt.Errorf("%w: the sums end in line %d", colstore.ErrTruncated, l.n)
	}
	if err != nil {
		return fsx.Bare(err)
	}
	l.crc = crc32.Update(l.crc, castagnoli, line)
	if err := json.Unmarshal(bytes.TrimSpace(line), v); err != nil {
		return l.damaged("%v", err)
	}
	return nil
}

func (l *sumsLines) damaged(format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", colstore.ErrFormat, l.n, fmt.Sprintf(format, args...))
}
