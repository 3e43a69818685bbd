package cstore_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// readSteps are those that change nothing.
var readSteps = []step{
	{"scan", 8, (*world).scan},
	{"view", 8, (*world).view},
	{"cut", 14, (*world).cut},
	{"read several", 4, (*world).several},
	{"verify", 5, (*world).verify},
}

// open opens a file that is there; r is nil if there is none.
func (w *world) open() (r *cstore.Reader, t *table, err error) {
	name := w.existing()
	if name == "" {
		return nil, nil, nil
	}
	w.note("%s", name)
	r, err = cstore.Open(w.path(name), nil)
	return r, w.files[name], err
}

// scan reads a range of rows in batches of some size.
func (w *world) scan() error {
	r, t, err := w.open()
	if r == nil {
		return err
	}
	defer r.Close()
	if err := t.sameRows(r, 1+w.r.IntN(30)); err != nil {
		return err
	}
	k := kinds[t.kind]
	begin := w.r.IntN(t.len() + 1)
	end := begin + w.r.IntN(t.len()-begin+1)
	if begin == end {
		return nil
	}
	at := begin
	for b, err := range r.Scan(w.ctx, colstore.Scan{Rows: colstore.Range{Begin: int64(begin), End: int64(end)}, BatchRows: 1 + w.r.IntN(9), Once: w.r.IntN(2) == 0}) {
		if err == nil && at+b.Rows() > end {
			err = fmt.Errorf("rows beyond %d", end)
		}
		if err == nil {
			err = k.sameBatch(b, t.rows[at*k.size:(at+b.Rows())*k.size])
		}
		if err != nil {
			return err
		}
		at += b.Rows()
	}
	if at != end {
		return fmt.Errorf("rows %d to %d end at %d", begin, end, at)
	}
	return nil
}

// view reads rows that were chosen.
func (w *world) view() error {
	r, t, err := w.open()
	if r == nil {
		return err
	}
	defer r.Close()
	k, n := kinds[t.kind], int64(t.len())
	var sel source.Selection
	var rows []int64
	switch choice := w.r.IntN(3); {
	case choice == 0 || n == 0:
		begin, end, by := w.r.Int64N(n+1), w.r.Int64N(n+1), 1+w.r.Int64N(4)
		for i := begin; i < end; i += by {
			rows = append(rows, i)
		}
		sel = source.Slice(begin, end).By(by)
	case choice == 1:
		for range w.r.IntN(40) {
			rows = append(rows, w.r.Int64N(n))
		}
		sel = source.Rows(rows...)
	default:
		keep := make([]bool, n)
		for i := range keep {
			if keep[i] = w.r.IntN(3) == 0; keep[i] {
				rows = append(rows, int64(i))
			}
		}
		sel = source.Mask(keep)
	}
	b, err := source.ViewOf(r).Pick(sel).Collect(w.ctx)
	if err != nil {
		return err
	}
	var want []byte
	for _, i := range rows {
		want = append(want, t.rows[int(i)*k.size:(int(i)+1)*k.size]...)
	}
	if b.Rows() != len(rows) {
		return fmt.Errorf("%s gives %d rows, and should give %d", sel, b.Rows(), len(rows))
	}
	return k.sameBatch(b, want)
}

// cut reads the rows of which a number compares in some way with another, by statistics where the file has some.
func (w *world) cut() error {
	r, t, err := w.open()
	if r == nil {
		return err
	}
	defer r.Close()
	k := kinds[t.kind]
	name := []string{"a", "n", "u"}[t.kind]
	if t.kind == 1 && w.r.IntN(2) == 0 {
		name = "x"
	}
	c, _ := k.schema.Index(name)
	values := k.column(t.rows, c)
	size := k.schema.Field(c).Type.Size()
	limit := w.r.Int64N(100) - 20
	if len(values) > 0 && w.r.IntN(2) == 0 {
		at := w.r.IntN(len(values)/size) * size
		limit = int64(numberAt(k.schema.Field(c).Type, values[at:at+size]))
	}
	limit = min(max(limit, -1<<40), 1<<40)
	op := []string{"<", "<=", ">", ">=", "==", "!="}[w.r.IntN(6)]
	e, err := frame.Parse(name+" "+op+" @limit", frame.Params{"limit": limit})
	if err != nil {
		return err
	}
	b, err := frame.From(r).Where(e).Collect(w.ctx)
	if err != nil {
		return err
	}
	var want []byte
	for i := range t.len() {
		if compares(numberAt(k.schema.Field(c).Type, values[i*size:(i+1)*size]), op, float64(limit)) {
			want = append(want, t.rows[i*k.size:(i+1)*k.size]...)
		}
	}
	w.note("%s %s %d", name, op, limit)
	if b.Rows() != len(want)/k.size {
		return fmt.Errorf("%d rows pass, and %d should", b.Rows(), len(want)/k.size)
	}
	return k.sameBatch(b, want)
}

// numberAt returns a value as a float; the limits it is compared with are small, so that rounding changes no comparison.
func numberAt(t colstore.DType, b []byte) float64 {
	var v [8]byte
	copy(v[:], b)
	bits := binary.LittleEndian.Uint64(v[:])
	switch {
	case t == colstore.Float64:
		return math.Float64frombits(bits)
	case t == colstore.Uint64:
		return float64(bits)
	case t == colstore.Int32:
		return float64(int32(bits))
	default:
		return float64(int16(bits))
	}
}

func compares(a float64, op string, b float64) bool {
	switch op {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "==":
		return a == b
	}
	return a != b
}

// several reads all files of a schema as one table.
func (w *world) several() error {
	kind := w.r.IntN(len(kinds))
	all := &table{kind: kind}
	var paths []string
	for name := range w.files {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	paths = slices.DeleteFunc(paths, func(n string) bool { return w.files[n].kind != kind })
	for i, n := range paths {
		all = all.plus(w.files[n])
		paths[i] = w.path(n)
	}
	if len(paths) == 0 {
		return nil
	}
	src, err := source.Open(w.ctx, source.Spec{Paths: paths})
	if err != nil {
		return err
	}
	defer src.Close()
	return all.sameRows(src, 1+w.r.IntN(30))
}

// verify finds nothing wrong.
func (w *world) verify() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	w.note("%s", name)
	t := w.files[name]
	info, err := cstore.Stat(w.path(name))
	if err != nil {
		return err
	}
	if info.Rows != int64(t.len()) || info.Records != int64(len(t.records)) {
		return fmt.Errorf("the header says %d rows in %d records, and they are %d in %d", info.Rows, info.Records, t.len(), len(t.records))
	}
	v, err := cstore.Verify(w.ctx, w.path(name), nil)
	if err != nil {
		return err
	}
	if len(v.Findings) > 0 && (t.stats || !v.Statistics) { // else the footer was cut off, or something was put behind it
		return v.Findings[0]
	}
	return nil
}
