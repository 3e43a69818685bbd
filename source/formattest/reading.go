package formattest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

// roundTrip demands that tables of every dtype, of no row, one and many, come back as they were written.
func (s *suite) roundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 17, 1_500} {
		if rows == 0 && s.Rowless {
			continue
		}
		want := s.table(uint64(rows)+20, rows, len(s.DTypes))
		src := s.open(t, s.written(t, want), want.Schema())
		if n := src.Rows(); n != int64(rows) && n != -1 {
			t.Errorf("the source tells %d rows, there are %d", n, rows)
		}
		got, err := readAll(t.Context(), src, colstore.Scan{})
		if err != nil {
			t.Errorf("%d rows: %v", rows, err)
			continue
		}
		s.same(t, fmt.Sprintf("%d rows", rows), got, want)
	}
	for _, typ := range s.DTypes { // each alone, so that no column hides another's error
		want := must(colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: typ}), s.table1(typ, 100)))
		got, err := readAll(t.Context(), s.open(t, s.written(t, want), want.Schema()), colstore.Scan{})
		if err != nil {
			t.Errorf("%s: %v", typ.Name(), err)
			continue
		}
		s.same(t, typ.Name()+" alone", got, want)
	}
}

// names demands that columns keep their names, or that a name which the format cannot hold is told before Commit: as an
// error, or as a warning with what it became.
func (s *suite) names(t *testing.T) {
	fields, cols := make([]colstore.Field, len(s.Names)), make([]colstore.Column, len(s.Names))
	for i, n := range s.Names {
		fields[i], cols[i] = colstore.Field{Name: n, Type: s.DTypes[0]}, s.table1(s.DTypes[0], 3)
	}
	want := must(colstore.NewBatch(colstore.MustSchema(fields...), cols...))
	got, err := readAll(t.Context(), s.open(t, s.written(t, want), want.Schema()), colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	s.same(t, "odd names", got, want)

	for _, n := range []string{"\xff", "a\x00b"} {
		path := s.path(t, "f")
		odd := must(colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: n, Type: s.DTypes[0]}), cols[0]))
		var warnings []string
		if err := s.write(t.Context(), path, odd, creating{told: func(w []string) { warnings = w }}); err != nil {
			if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != path || e.Column != n {
				t.Errorf("name %q: error %q lacks path or column", n, err)
			}
			continue
		}
		got, err := readAll(t.Context(), s.open(t, path, odd.Schema()), colstore.Scan{})
		if err != nil {
			t.Errorf("name %q is written, but: %v", n, err)
			continue
		}
		if now := got.Schema().Names()[0]; now != n && slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, now) }) {
			n, odd = now, must(colstore.NewBatch(got.Schema(), cols[0]))
		}
		s.same(t, fmt.Sprintf("name %q", n), got, odd)
	}
}

// table1 returns one column of values.
func (s *suite) table1(typ colstore.DType, rows int) colstore.Column {
	one := *s
	one.DTypes = []colstore.DType{typ}
	return one.table(9, rows, 1).At(0)
}

// batches demands the same rows whatever the batches, and batches of the size that was asked for.
func (s *suite) batches(t *testing.T) {
	path, want := s.sample(t, 1_234)
	src := s.open(t, path, want.Schema())
	huge := (64 << 20) / max(1, want.Schema().RowBytes())
	for _, q := range []colstore.Scan{{BatchRows: huge}, {BatchRows: 16}, {BatchRows: 1_000, Threads: 2}, {BatchRows: 333, Once: true, Threads: 3}, {}} {
		at := int64(0)
		for b, err := range src.Scan(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			if b.Begin() != at {
				t.Fatalf("batch of row %d says it begins at %d", at, b.Begin())
			}
			if b.Rows() == 0 || q.BatchRows > 0 && b.Rows() > q.BatchRows {
				t.Fatalf("a batch of %d rows, asked for %d", b.Rows(), q.BatchRows)
			}
			at += int64(b.Rows())
		}
		if at != int64(want.Rows()) {
			t.Errorf("batches of %d rows are %d rows together, want %d", q.BatchRows, at, want.Rows())
		}
		got, err := readAll(t.Context(), src, q)
		if err != nil {
			t.Fatal(err)
		}
		s.same(t, fmt.Sprintf("batches of %d rows", q.BatchRows), got, want)
	}
	for _, r := range []colstore.Range{{Begin: 1}, {Begin: 0, End: 1}, {Begin: 100, End: 1_100}, {Begin: 17, End: 18}, {Begin: int64(want.Rows()) - 1, End: int64(want.Rows())}} {
		if r.Begin >= int64(want.Rows()) || r.End > int64(want.Rows()) {
			continue
		}
		got, err := readAll(t.Context(), src, colstore.Scan{Rows: r, BatchRows: 50})
		if err != nil {
			t.Errorf("rows %v: %v", r, err)
			continue
		}
		if r.End == 0 {
			r.End = int64(want.Rows())
		}
		s.same(t, fmt.Sprintf("rows %v", r), got, want.Slice(int(r.Begin), int(r.End)))
	}
	if _, err := readAll(t.Context(), src, colstore.Scan{Rows: colstore.Range{Begin: 0, End: int64(want.Rows()) + 1}}); !errors.Is(err, colstore.ErrRange) {
		t.Errorf("a row behind the last: %v, want %v", err, colstore.ErrRange)
	}
}

// projection demands the columns asked for, in that order, whether asked when opening or when scanning.
func (s *suite) projection(t *testing.T) {
	path, want := s.sample(t, 100)
	names := want.Schema().Names()
	asked := []string{names[len(names)-1], names[0]}
	if len(names) == 1 {
		asked = names
	}
	part := pick(want, asked)
	src := s.open(t, path, want.Schema())
	got, err := readAll(t.Context(), src, colstore.Scan{Columns: asked})
	if err != nil {
		t.Fatal(err)
	}
	s.same(t, "columns of a scan", got, part)

	spec := s.spec(path, part.Schema())
	spec.Columns = asked
	if got, err = readSpec(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	s.same(t, "columns of a spec", got, part)

	if _, err := readAll(t.Context(), src, colstore.Scan{Columns: []string{"no such column"}}); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("scanning a column that is not there: %v", err)
	}
	spec.Columns = []string{"no such column"}
	spec.DTypes = nil
	_, err = source.Open(t.Context(), spec)
	if e, ok := errors.AsType[*colstore.Error](err); !ok || !errors.Is(err, colstore.ErrNoColumn) || e.Column != "no such column" {
		t.Errorf("opening a column that is not there: %v", err)
	}
}

// pick returns columns of b.
func pick(b *colstore.Batch, names []string) *colstore.Batch {
	cols := make([]colstore.Column, len(names))
	for i, n := range names {
		cols[i] = must(b.Column(n))
	}
	return must(colstore.NewBatch(must(b.Schema().Select(names...)), cols...))
}

// splits demands that the ranges of a source cover its rows in order, and can each be read alone.
func (s *suite) splits(t *testing.T) {
	path, want := s.sample(t, 2_000)
	src := s.open(t, path, want.Schema())
	split, ok := src.(colstore.Splitter)
	if !ok {
		t.Log("the source is read from its beginning only")
		return
	}
	if src.Rows() < 0 {
		t.Log("how many rows there are, only reading tells; so there are no splits")
		return
	}
	for _, rows := range []int{1, 700, 1 << 30} {
		next := int64(0)
		ranges := split.Splits(rows)
		for _, r := range ranges {
			if r.Begin != next || r.End <= r.Begin {
				t.Fatalf("splits of %d rows: %v follows row %d", rows, r, next)
			}
			next = r.End
		}
		if next != int64(want.Rows()) {
			t.Fatalf("splits of %d rows end at %d of %d", rows, next, want.Rows())
		}
		if len(ranges) > 50 {
			ranges = append(ranges[:20:20], ranges[len(ranges)-20:]...)
		}
		for _, r := range ranges {
			got, err := readAll(t.Context(), src, colstore.Scan{Rows: r})
			if err != nil {
				t.Fatalf("split %v: %v", r, err)
			}
			if !s.same(t, fmt.Sprintf("split %v", r), got, want.Slice(int(r.Begin), int(r.End))) {
				return
			}
		}
	}
}

// concurrentScans demands that a source can be scanned from several goroutines at once.
func (s *suite) concurrentScans(t *testing.T) {
	path, want := s.sample(t, 1_000)
	src := s.open(t, path, want.Schema())
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			q := colstore.Scan{BatchRows: 10 + 150*i, Threads: 1 + i%2}
			if i%3 == 2 {
				q.Columns = want.Schema().Names()[:1]
			}
			got, err := readAll(t.Context(), src, q)
			if err != nil {
				t.Error(err)
				return
			}
			all := want
			if q.Columns != nil {
				all = pick(want, q.Columns)
			}
			s.same(t, fmt.Sprintf("scan %d of several", i), got, all)
		})
	}
	wg.Wait()
}

// earlyEnd breaks scans off: by the loop, by the context, by closing the source.
func (s *suite) earlyEnd(t *testing.T) {
	path, want := s.sample(t, 500)
	src, err := source.Open(t.Context(), s.spec(path, want.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	var kept *colstore.Batch
	for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 60}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		kept = b
		break
	}
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	rows, last := 0, error(nil)
	for b, err := range src.Scan(ctx, colstore.Scan{BatchRows: 60}) {
		if last = err; err != nil {
			break
		}
		rows += b.Rows()
		cancel(over)
	}
	if !errors.Is(last, over) || rows > 60 {
		t.Errorf("a cancelled scan yields %d rows, then %v; want the cause", rows, last)
	}
	if _, err := source.Open(ctx, s.spec(path, want.Schema())); !errors.Is(err, over) {
		t.Errorf("opening in a context that is over: %v", err)
	}
	if err := errors.Join(src.Close(), src.Close()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := readAll(t.Context(), src, colstore.Scan{}); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("scanning a closed source: %v, want %v", err, colstore.ErrClosed)
	}
	s.same(t, "a batch that was retained, after its source was closed", kept.Detach(), want.Slice(0, kept.Rows()))
	kept.Release()
	if n := descriptors(path); n > 0 {
		t.Errorf("%d descriptors of a closed source are still open", n)
	}
}

// nulls holds what becomes of a null against the policies.
func (s *suite) nulls(t *testing.T) {
	n := s.Nulls
	read := func(p source.Nulls) (*colstore.Batch, error) {
		return readSpec(t.Context(), source.Spec{
			Paths: []string{n.Path}, NoGlob: true, Format: s.Format, Options: s.Read, DTypes: n.DTypes, Nulls: p, Columns: []string{n.Column},
		})
	}
	_, err := read(source.Nulls{})
	if e, ok := errors.AsType[*colstore.Error](err); !ok || !errors.Is(err, colstore.ErrNull) || e.Column != n.Column || e.Row != colstore.At(n.Row) || e.Path != n.Path {
		t.Errorf("the error %q is not colstore.ErrNull with path, column and row %d", err, n.Row)
	}
	filled, err := read(source.Nulls{Mode: source.NullFill})
	if err != nil {
		t.Fatal(err)
	}
	missing := format.Missing(filled.At(0).Type()).Column(1)
	if got := filled.At(0).At(int(n.Row)); !slices.Equal(got, missing.At(0)) {
		t.Errorf("a filled null is %x, want %x", got, missing.At(0))
	}
	masked, err := read(source.Nulls{Mode: source.NullMask})
	if err != nil {
		t.Fatal(err)
	}
	if names := masked.Schema().Names(); !slices.Equal(names, []string{n.Column, n.Column + "_valid"}) {
		t.Fatalf("with masks the columns are %q", names)
	}
	s.same(t, "masked values", pick(masked, []string{n.Column}), filled)
	valid, err := colstore.Values[bool](masked.At(1))
	if err != nil || slices.Index(valid, false) != int(n.Row) {
		t.Errorf("the mask's first false is row %d, want %d (%v)", slices.Index(valid, false), n.Row, err)
	}
	given, err := read(source.Nulls{Values: map[string]string{n.Column: n.Value}})
	if err != nil {
		t.Fatal(err)
	}
	for row := range valid {
		got, was := given.At(0).At(row), filled.At(0).At(row)
		if valid[row] != slices.Equal(got, was) {
			t.Errorf("row %d with a value given for nulls: %x, filled %x, there: %t", row, got, was, valid[row])
			break
		}
	}
}
