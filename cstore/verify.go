package cstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/internal/text"
)

// VerifyOptions says how to verify a file. The zero value is the default.
type VerifyOptions struct {
	Threads   int // goroutines that read columns; 0 is 1
	Sums      SumsMode
	WriteSums bool // write the file of sums if the file holds what it says; what is there of it is held against the values first
}

// A Verification is what [Verify] found of a file that opens.
type Verification struct {
	Path       string
	Rows       int64
	Records    int
	Columns    int
	Statistics bool   // the file has a footer, usable or not
	Sums       bool   // the values were held against a file of sums
	Written    string // the file of sums that was written
	// Findings are what the file says and does not hold, by record and column. They are errors for printing: path, column
	// and record are set, and the first row of those that a sum covers. There are at most MaxFindings.
	Findings []*colstore.Error
	// Notes are what is out of the ordinary but harms no reader: bytes that are no part of the table, padding that is not
	// zero, records without sums.
	Notes []string
}

// MaxFindings is how many findings of a file are kept.
const MaxFindings = 100

const (
	verifyPiece = 4 << 20
	pageBytes   = 4 << 10
)

// Verify opens the file at path, which checks its structure, CRCs and counts, reads every byte of its columns, and holds
// the statistics against the values: of every record and column the least and the greatest value must be those that the
// footer states, and there must be no NaN, infinity or NaT where it says so. Where there is a file of sums ([SumsPath]),
// the bytes of the columns are held against that too. A nil o is all defaults.
//
// Memory: none beyond what is mapped, which is given back while it reads; with sums, four bytes a MiB of each column of a
// record.
// Errors: those of [Open] for a file that does not open; colstore.ErrTruncated for one that is cut while it is read; the
// context's cause; those of writing the sums, beside which what was found is returned. What an opened file does not hold is
// no error but a finding.
func Verify(ctx context.Context, path string, o *VerifyOptions) (*Verification, error) {
	if o == nil {
		o = &VerifyOptions{}
	}
	r, err := Open(path, &OpenOptions{Advice: Sequential})
	if err != nil {
		return nil, err
	}
	v := &verifier{r: r, h: r.h}
	v.result = Verification{Path: path, Rows: r.rows, Records: len(r.records), Columns: r.schema.Len(), Statistics: r.h.statsOffset != 0}
	err = v.run(ctx, o)
	if n := len(r.records); err == nil && n > 0 {
		last := r.records[n-1]
		err = fault.Check(r.path, r.file, last.body+last.rows*int64(r.schema.RowBytes()))
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.result.Findings, func(a, b *colstore.Error) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(v.at(a), v.at(b)), cmp.Compare(a.Row, b.Row))
	})
	if o.WriteSums && len(v.result.Findings) == 0 {
		v.result.Written = SumsPath(path)
		if err := v.fresh.write(fsx.Of(ctx), v.result.Written, r.schema); err != nil {
			return &v.result, err
		}
	}
	if len(v.result.Findings) > MaxFindings {
		v.result.Findings = v.result.Findings[:MaxFindings]
	}
	return &v.result, nil
}

type verifier struct {
	r       *Reader
	h       *header
	known   *sums // that the file of sums has; nil is none
	fresh   *sums // that the values have; nil if nobody asks
	mu      sync.Mutex
	result  Verification
	touched atomic.Uint64 // what touch read, so that it is read
}

// run looks at everything.
func (v *verifier) run(ctx context.Context, o *VerifyOptions) error {
	switch {
	case v.h.statsOffset == 0 || v.r.stats != nil:
	case v.cutOff():
		v.result.Statistics = false
		v.result.Notes = append(v.result.Notes, "the statistics were cut off by an update that was not committed; readers do without, writing the file anew makes new ones")
	default:
		v.find(-1, -1, fmt.Errorf("%w: the statistics that the header points at are damaged or not there; readers do without, writing the file anew makes new ones", colstore.ErrFormat))
	}
	if err := v.readSums(ctx, o); err != nil {
		return err
	}
	columns := v.r.schema.Len()
	if err := parallel.Each(len(v.r.records)*columns, o.Threads, func(i int) error {
		return v.column(ctx, i/columns, i%columns)
	}); err != nil {
		return err
	}
	return fault.Guard(func() error {
		v.note()
		return nil
	})
}

// cutOff reports whether in place of statistics there is what an update leaves that did not get to its end: nothing, or a
// record that may not have its header yet.
func (v *verifier) cutOff() (cut bool) {
	_ = fault.Guard(func() error { // a file that is being cut is noticed by who reads all of it
		end, data := v.end(), v.r.m.Data()
		if v.h.statsOffset == end && end <= int64(len(data)) {
			left := data[end:min(end+int64(len(recordMagic)), int64(len(data)))]
			cut = zeros(left) || string(left) == recordMagic
		}
		return nil
	})
	return cut
}

// end returns where the records end.
func (v *verifier) end() int64 {
	if len(v.r.records) == 0 {
		return v.h.dataAt
	}
	last := v.r.records[len(v.r.records)-1]
	body, _ := bodySize(last.rows, v.r.schema.RowBytes())
	return last.body + body
}

// find adds a finding. A record or column of -1 is none.
func (v *verifier) find(record, column int, err error) {
	e := &colstore.Error{Op: "verify", Path: v.r.path, Err: err}
	if record >= 0 {
		e.Record, e.Column = colstore.At(int64(record)), v.r.schema.Field(column).Name
	}
	v.add(e)
}

func (v *verifier) add(e *colstore.Error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Findings = append(v.result.Findings, e)
}

// at returns the number of a finding's column.
func (v *verifier) at(e *colstore.Error) int {
	i, _ := v.r.schema.Index(e.Column)
	return i
}

// column reads a column of a record and compares what is stated of it.
func (v *verifier) column(ctx context.Context, record, column int) error {
	rec, t := v.r.records[record], v.r.schema.Field(column).Type
	lo, hi, stated := v.r.stats.bounds(column, record)
	var found cell
	step := int64(max(1, verifyPiece/t.Size()))
	if v.fresh != nil {
		step = v.fresh.blocks[column]
	}
	bad := colstore.Range{Begin: -1} // rows of blocks, one after the other, whose sums do not hold
	for at := int64(0); at < rec.rows; at += step {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n := int(min(step, rec.rows-at))
		offset := int(rec.body + rec.rows*int64(v.r.prefix[column]) + at*int64(t.Size()))
		data := v.r.m.Data()[offset:][:n*t.Size()]
		values := colstore.RawColumn(t, n, t.Size(), unsafe.Pointer(unsafe.SliceData(data)))
		if stated && !t.IsString() {
			found.add(values)
		}
		switch {
		case v.fresh != nil:
			if v.holds(record, column, int(at/step), sum(data)) {
				v.damaged(record, column, &bad)
			} else {
				if bad.Begin < 0 {
					bad.Begin = at
				}
				bad.End = at + int64(n)
			}
		case !stated || t.IsString():
			v.touch(data)
		}
		v.r.m.Advise(offset, n*t.Size(), mmap.DontNeed)
	}
	v.damaged(record, column, &bad)
	if stated {
		for _, lie := range compareBounds(lo, hi, &found) {
			v.find(record, column, lie)
		}
	}
	return nil
}

// touch reads every page of a column once: what the disk cannot read any more is noticed there.
func (v *verifier) touch(data []byte) {
	sum := uint64(0)
	for i := 0; i < len(data); i += pageBytes {
		sum += uint64(data[i])
	}
	v.touched.Add(sum)
}

// compareBounds holds the statistics of a column in a record against what was found in it.
func compareBounds(lo, hi colstore.Column, found *cell) (lies []error) {
	t := lo.Type()
	switch {
	case t.IsString():
		return []error{fmt.Errorf("%w: there are statistics of a %s column, which has none", colstore.ErrMismatch, t.Kind())}
	case found.rows == 0:
		return []error{fmt.Errorf("%w: there are statistics of a record without rows", colstore.ErrMismatch)}
	case found.invalid:
		return []error{fmt.Errorf("%w: the statistics say that there is no NaN, infinity or NaT, and there is one", colstore.ErrMismatch)}
	}
	for _, side := range []struct {
		name   string
		stated colstore.Column
		found  [8]byte
	}{{"least", lo, found.lo}, {"greatest", hi, found.hi}} {
		actual, err := colstore.NewColumn(t.Native(), 1, side.found[:])
		if err != nil || sameValue(side.stated, actual) {
			continue
		}
		lies = append(lies, fmt.Errorf("%w: the statistics say that the %s value is %s, it is %s", colstore.ErrMismatch,
			side.name, text.AppendPlain(nil, side.stated, 0), text.AppendPlain(nil, actual, 0)))
	}
	return lies
}

// sameValue reports whether two numbers of a dtype are equal, whatever the byte order; both zeros are.
func sameValue(a, b colstore.Column) bool {
	if a.Type().Kind() == colstore.KindFloat {
		return text.Float(a.Type(), a.At(0)) == text.Float(b.Type(), b.At(0))
	}
	return text.Uint(a.Type(), a.At(0)) == text.Uint(b.Type(), b.At(0))
}
