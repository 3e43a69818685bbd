package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source"
)

// manyTypes are dtypes of all widths that copies treat differently, in both byte orders.
func manyTypes(tb testing.TB) *colstore.Schema {
	tb.Helper()
	var fields []colstore.Field
	for i, name := range []string{"|u1", "<i2", "<f4", "<i8", "|S3", "<U2", "|S16", "|S33", ">i2", ">f4", ">i8", ">U2"} {
		t, err := colstore.ParseDType(name)
		if err != nil {
			tb.Fatal(err)
		}
		fields = append(fields, colstore.Field{Name: fmt.Sprintf("c%d", i), Type: t})
	}
	return colstore.MustSchema(fields...)
}

// randomBatch returns rows of random bytes, whose values lie that many values apart.
func randomBatch(tb testing.TB, s *colstore.Schema, rows, apart int) *colstore.Batch {
	tb.Helper()
	r := rand.NewChaCha8([32]byte{byte(apart)})
	var cols []colstore.Column
	for _, f := range s.All() {
		stride := f.Type.Size() * apart
		data := make([]byte, rows*stride+1)
		_, _ = r.Read(data)
		cols = append(cols, colstore.RawColumn(f.Type, rows, stride, unsafe.Pointer(&data[1]))) // misaligned
	}
	b, err := colstore.NewBatch(s, cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// inParts returns the rows as a source of several runs of memory.
func inParts(tb testing.TB, b *colstore.Batch, starts ...int) colstore.Source {
	tb.Helper()
	var parts []source.Part
	for i, from := range starts {
		to := b.Rows()
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		parts = append(parts, source.Part{Name: fmt.Sprint(i), Source: source.Memory(b.Slice(from, to))})
	}
	src, err := source.Concat(source.Strict, parts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { src.Close() })
	return src
}

// nativeValue returns a value in native byte order.
func nativeValue(c colstore.Column, row int) []byte {
	out := slices.Clone(c.At(row))
	if c.Type().BigEndian() {
		word := len(out)
		if c.Type().Kind() == colstore.KindText {
			word = 4
		}
		for at := out; len(at) > 0; at = at[word:] {
			slices.Reverse(at[:word])
		}
	}
	return out
}

// withThreads runs f with so many goroutines a read.
func withThreads(tb testing.TB, n int, f func()) {
	tb.Helper()
	t := kernel.Tuned()
	t.Threads = n
	defer kernel.Tune(kernel.Tune(t))
	f()
}

// chains are views of n rows, and the rows they are of.
func chains(v *source.View, n int) map[string]*source.View {
	list, few, sorted := make([]int64, n/2), []int64{int64(n - 1), 0, -1}, make([]int64, 0, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		list[i] = r.Int64N(int64(2*n)) - int64(n)
	}
	mask := func(rows, of int) []bool {
		keep := make([]bool, rows)
		for i := range keep {
			keep[i] = r.IntN(100) < of
		}
		return keep
	}
	for i := range int64(n) {
		if i%3 != 1 {
			sorted = append(sorted, i)
		}
	}
	dense := mask(n, 90)
	kept := 0
	for _, k := range dense {
		if k {
			kept++
		}
	}
	return map[string]*source.View{
		"all":                v,
		"slice":              v.Pick(source.Slice(100, int64(n)-7)),
		"stride":             v.Pick(source.All().By(3)),
		"backwards":          v.Pick(source.All().By(-1)),
		"far apart":          v.Pick(source.All().By(-1000)),
		"list":               v.Pick(source.Rows(list...)),
		"few":                v.Pick(source.Rows(few...)),
		"sorted":             v.Pick(source.Rows(sorted...)),
		"part of a list":     v.Pick(source.Rows(list...)).Pick(source.From(5)),
		"list of a slice":    v.Pick(source.To(int64(n) / 2)).Pick(source.Rows(-1, 5, 0)),
		"mask 1":             v.Pick(source.Mask(mask(n, 1))),
		"mask 90":            v.Pick(source.Mask(dense)),
		"no row":             v.Pick(source.Mask(make([]bool, n))),
		"part of a mask":     v.Pick(source.Mask(dense)).Pick(source.Slice(77, int64(kept)-77)),
		"mask of a slice":    v.Pick(source.From(133)).Pick(source.Mask(mask(n-133, 40))),
		"mask of a mask":     v.Pick(source.Mask(dense)).Pick(source.Mask(mask(kept, 50))),
		"mask of part of it": v.Pick(source.Mask(dense)).Pick(source.From(99)).Pick(source.Mask(mask(kept-99, 50))),
		"mask of a stride":   v.Pick(source.All().By(-2)).Pick(source.Mask(mask((n+1)/2, 50))),
		"list of a mask":     v.Pick(source.Mask(dense)).Pick(source.Rows(5, -1, 5)),
	}
}

// Views give the same bytes as rows that are taken one by one: of runs of memory of any place and stride, all widths, and
// any number of goroutines, into columns and records, at once and in batches.
func TestReadingModel(t *testing.T) {
	const n = 5003
	s := manyTypes(t)
	for _, apart := range []int{1, 2} {
		b := randomBatch(t, s, n, apart)
		sources := map[string]colstore.Source{
			"one":     source.Memory(b),
			"several": inParts(t, b, 0, 1, 1, 100, 3333, n),
		}
		for name, src := range sources {
			prepared, err := source.ViewOf(src).Prepare(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for of, v := range map[string]*source.View{"source": source.ViewOf(src), "prepared view": prepared} {
				for chain, v := range chains(v, n) {
					at, err := v.Positions(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, threads := range []int{1, 2, 8} {
						withThreads(t, threads, func() {
							checkReading(t, fmt.Sprintf("%s of %s, values %d apart, %s, %d threads", name, of, apart, chain, threads), v, b, at)
						})
					}
				}
			}
			prepared.Close()
		}
		sources["one"].Close()
	}
}

func checkReading(t *testing.T, what string, v *source.View, whole *colstore.Batch, at []int64) {
	t.Helper()
	got, err := v.Collect(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	records := &source.Records{Data: bytes.Repeat([]byte{0xA5}, 7)}
	if err := v.RecordsInto(t.Context(), records); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	const behind = 3
	var dst []colstore.Column
	for _, f := range v.Schema().All() {
		c, err := colstore.NewColumn(f.Type.Native(), len(at)+behind, bytes.Repeat([]byte{0xA5}, (len(at)+behind)*f.Type.Size()))
		if err != nil {
			t.Fatal(err)
		}
		dst = append(dst, c)
	}
	if rows, err := v.CollectInto(t.Context(), dst...); err != nil || rows != len(at) {
		t.Fatalf("%s: %d rows into columns, want %d: %v", what, rows, len(at), err)
	}
	if got.Rows() != len(at) || records.Rows() != len(at) {
		t.Fatalf("%s: %d rows, %d records, want %d", what, got.Rows(), records.Rows(), len(at))
	}
	field := 0
	for c := range whole.Schema().Len() {
		size := whole.At(c).Type().Size()
		for i, row := range at {
			want := nativeValue(whole.At(c), int(row))
			if !bytes.Equal(got.At(c).At(i), want) || !bytes.Equal(dst[c].At(i), want) || !bytes.Equal(records.Row(i)[field:field+size], want) {
				t.Fatalf("%s: row %d of %s is %x, %x, %x, want %x", what, i, whole.Schema().Field(c).Name, got.At(c).At(i), dst[c].At(i),
					records.Row(i)[field:field+size], want)
			}
		}
		for i := range behind {
			if !bytes.Equal(dst[c].At(len(at)+i), bytes.Repeat([]byte{0xA5}, size)) {
				t.Fatalf("%s: what is behind the rows of %s was written", what, whole.Schema().Field(c).Name)
			}
		}
		field += size
	}
	next := 0
	for b, err := range v.Scan(t.Context(), colstore.Scan{BatchRows: 1234, Threads: 2}) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for c := range whole.Schema().Len() {
			for i := range b.Rows() {
				if !bytes.Equal(b.At(c).At(i), whole.At(c).At(int(at[next+i]))) {
					t.Fatalf("%s: row %d of a scan is another", what, next+i)
				}
			}
		}
		next += b.Rows()
	}
	if next != len(at) {
		t.Fatalf("%s: %d rows scanned", what, next)
	}
}

func TestIntoRefuses(t *testing.T) {
	src := openGolden(t, "expr.cstore")
	v := source.ViewOf(src).Pick(source.To(5)).Select("i4", "f8")
	check := func(what string, want error, rows int, err error) {
		t.Helper()
		if !errors.Is(err, want) || rows != 0 && errors.Is(want, colstore.ErrMismatch) {
			t.Errorf("%s: %d, %v", what, rows, err)
		}
	}
	i4, f8 := make([]int32, 5), make([]float64, 5)
	rows, err := v.CollectInto(t.Context(), colstore.Wrap(i4))
	check("too few columns", colstore.ErrMismatch, rows, err)
	rows, err = v.CollectInto(t.Context(), colstore.Wrap(f8), colstore.Wrap(f8))
	check("another dtype", colstore.ErrMismatch, rows, err)
	rows, err = v.CollectInto(t.Context(), colstore.Wrap(i4), colstore.Wrap(f8[:4]))
	check("two lengths", colstore.ErrMismatch, rows, err)
	rows, err = v.CollectInto(t.Context(), colstore.Wrap(i4[:4]), colstore.Wrap(f8[:4]))
	check("too short", colstore.ErrRange, rows, err)
	if rows != 5 {
		t.Errorf("%d rows are told", rows)
	}
	rows, err = v.CollectInto(t.Context(), colstore.Wrap(make([]int32, 10)).Slice(0, 10, 2), colstore.Wrap(f8))
	check("a stride", colstore.ErrNotViewable, rows, err)
	rows, err = source.ValuesInto(t.Context(), v, "i4", i4[:3])
	check("too short", colstore.ErrRange, rows, err)
	rows, err = source.ValuesInto(t.Context(), v, "i4", f8)
	check("another type", colstore.ErrType, rows, err)
	rows, err = source.ValuesInto(t.Context(), v, "i8", f8)
	check("no column", colstore.ErrNoColumn, rows, err)
	rows, err = source.ValuesInto(t.Context(), v.Pick(source.Row(9)), "i4", i4)
	check("no row", colstore.ErrRange, rows, err)
}

// A list is checked when it is read, whatever reads it, and names the number that was asked for.
func TestRowsThatAreNot(t *testing.T) {
	files := map[string]colstore.Source{}
	for _, format := range []string{".cstore", ".parquet"} {
		src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, format, []int{50}, []int{30, 20})})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		files[format] = src
	}
	for format, src := range files {
		for _, bad := range []int64{100, -101, 1 << 62, -1 << 63} {
			v := source.ViewOf(src).Pick(source.Rows(3, -1, -100, 99, bad))
			reads := map[string]func() error{
				"Collect":   func() error { _, err := v.Collect(t.Context()); return err },
				"Records":   func() error { _, err := v.Records(t.Context()); return err },
				"Values":    func() error { _, err := source.Values[int64](t.Context(), v, "i"); return err },
				"Positions": func() error { _, err := v.Positions(t.Context()); return err },
				"Origins":   func() error { _, err := v.Origins(t.Context(), []int64{4}); return err },
				"of a list": func() error { _, err := v.Pick(source.Rows(4, 0)).Collect(t.Context()); return err },
				"Scan": func() error {
					for _, err := range v.Scan(t.Context(), colstore.Scan{BatchRows: 2}) {
						if err != nil {
							return err
						}
					}
					return nil
				},
			}
			for name, read := range reads {
				if err := read(); !errors.Is(err, colstore.ErrRange) {
					t.Errorf("%s of %s, row %d: %v", name, format, bad, err)
				}
			}
			if _, err := v.Collect(t.Context()); !strings.Contains(fmt.Sprint(err), fmt.Sprintf("row %d of 100", bad)) {
				t.Errorf("%s, row %d: %v", format, bad, err)
			}
		}
	}
}

// A file that is cut inside the last page that is read gives an error, not zeros, whatever chose the rows.
func TestViewOfCutFile(t *testing.T) {
	const n = 40_000
	for _, files := range []int{1, 3} {
		var paths []string
		dir := t.TempDir()
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(i) + 1
		}
		b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(v)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			paths = append(paths, filepath.Join(dir, fmt.Sprint(i, ".cstore")))
			if err := cstore.Store(t.Context(), paths[i], b, nil); err != nil {
				t.Fatal(err)
			}
		}
		src, err := source.Open(t.Context(), source.Spec{Paths: paths})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		whole, err := source.ViewOf(src).Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		total := whole.Rows()
		keep := make([]bool, total)
		for i := range keep {
			keep[i] = i%2 == 1
		}
		var list []int64
		for i := range total {
			list = append(list, total-1-i)
		}
		views := map[string]*source.View{
			"all": whole, "stride": whole.Pick(source.From(1).By(2)), "mask": whole.Pick(source.Mask(keep)), "list": whole.Pick(source.Rows(list...)),
			"a row": whole.Pick(source.Row(-1)), "few": whole.Pick(source.Rows(-1, 0, 5)),
		}
		read := func(want error) {
			t.Helper()
			for name, v := range views {
				for _, threads := range []int{1, 2, 8} {
					withThreads(t, threads, func() {
						if _, err := v.Collect(t.Context()); !errors.Is(err, want) {
							t.Errorf("%d files: %s, %d threads: %v", files, name, threads, err)
						}
						if _, err := v.Records(t.Context()); !errors.Is(err, want) {
							t.Errorf("%d files: records of %s, %d threads: %v", files, name, threads, err)
						}
					})
				}
			}
		}
		read(nil)
		at := endOfRows(t, paths[files-1], v)
		for _, cut := range []int64{at - 4, at - 100_000} { // in the last page, and pages before
			if err := os.Truncate(paths[files-1], cut); err != nil {
				t.Fatal(err)
			}
			read(colstore.ErrTruncated)
		}
	}
}

// endOfRows returns the offset in a file behind the values.
func endOfRows(tb testing.TB, path string, v []int64) int64 {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	c := colstore.Wrap(v)
	raw, _ := c.Bytes()
	at := bytes.Index(data, raw)
	if at < 0 {
		tb.Fatal("the values are not in the file")
	}
	return int64(at + len(raw))
}

// What is prepared is read without allocating, until it is closed; then as any other view.
func TestPrepare(t *testing.T) {
	src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".cstore", []int{10, 0, 30}, []int{60})})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p, err := source.ViewOf(src).Select("h", "i").Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keep := make([]bool, 100)
	for i := range keep {
		keep[i] = i%3 == 0
	}
	var dst [100]int64
	ctx := context.Background()
	for name, v := range map[string]*source.View{
		"all": p, "list": p.Pick(source.Rows(5, 99, 0, -5)), "mask": p.Pick(source.Mask(keep)), "stride": p.Pick(source.All().By(-3)),
	} {
		want, err := v.Positions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := source.ValuesInto(ctx, v, "i", dst[:])
		if err != nil || !slices.Equal(dst[:rows], want) {
			t.Errorf("%s: %v, %v", name, dst[:rows], err)
		}
	}
	row := p.Pick(source.Row(50))
	if n := testing.AllocsPerRun(100, func() {
		if rows, err := source.ValuesInto(ctx, row, "i", dst[:]); rows != 1 || err != nil {
			t.Error(rows, err)
		}
	}); n > 3 && !testing.Short() {
		t.Errorf("reading a row of a prepared view allocates %v times", n)
	}
	if err := row.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if got, err := source.Values[int64](ctx, row, "i"); err != nil || got[0] != 50 {
		t.Errorf("after Close: %v, %v", got, err)
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := row.Collect(ctx); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("of a closed source: %v", err)
	}
}

// The last row of a list is no reason to look behind the result: with -race that ends the program.
func TestListEndsWithItsResult(t *testing.T) {
	src := inParts(t, randomBatch(t, colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64}), 10, 1), 0, 3, 7)
	for n := range int64(10) {
		rows := make([]int64, 2*n)
		for i := range rows {
			rows[i] = int64(i) % 10
		}
		if _, err := source.ViewOf(src).Pick(source.Rows(rows...)).Collect(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A slice of bools gets none but 0 and 1, whatever is stored.
func TestBoolsInto(t *testing.T) {
	stored, err := colstore.NewColumn(colstore.Bool, 12, []byte{0, 1, 2, 255, 0, 0, 1, 0, 7, 0, 1, 128})
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.BatchOf(colstore.Name("b", stored))
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	for name, into := range map[string]func(context.Context, ...colstore.Column) (int, error){
		"view": source.ViewOf(src).CollectInto, "frame": frame.From(src).CollectInto,
	} {
		got := bytes.Repeat([]byte{0xA5}, 13)
		c, err := colstore.NewColumn(colstore.Bool, 13, got)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := into(t.Context(), c); rows != 12 || err != nil || !bytes.Equal(got, []byte{0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0xA5}) {
			t.Errorf("%s: %v, %d rows: %v", name, got, rows, err)
		}
	}
}
