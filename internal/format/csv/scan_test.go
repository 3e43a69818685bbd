package csv_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/source/format"
)

// numbered returns a table of rows long enough for an index, with quotes and line breaks here and there.
func numbered(rows int) string {
	var b strings.Builder
	b.WriteString("n,x,text\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%v,%s\n", i, float64(i)/8, strings.Repeat("é", 100+i%7))
		if i%5000 == 0 {
			fmt.Fprintf(&b, "\n%d,,\"a\"\"\nb\"\r\n", -i)
		}
	}
	return b.String()
}

// Any range of rows is those rows, wherever the scan starts; so are the splits, read side by side.
func TestScansOfRanges(t *testing.T) {
	path := write(t, numbered(30_000))
	s := reading{}.source(t, path)
	all, err := collect(s, colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows() != int64(all.Rows) || all.Rows != 30_006 {
		t.Fatalf("%d rows, the source says %d", all.Rows, s.Rows())
	}
	part := func(r colstore.Range, columns ...int) *table {
		out := &table{Rows: int(r.Rows())}
		for _, i := range columns {
			c := all.Columns[i]
			width := len(c.Raw) / all.Rows
			c.Raw = c.Raw[int(r.Begin)*width : int(r.End)*width]
			out.Columns = append(out.Columns, c)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.Int64Range(0, s.Rows()-1).Draw(t, "begin")
		rows := colstore.Range{Begin: begin, End: min(s.Rows(), begin+rapid.Int64Range(1, 9000).Draw(t, "rows"))}
		got, err := collect(s, colstore.Scan{Rows: rows, Columns: []string{"text", "n"}, BatchRows: rapid.SampledFrom([]int{0, 1000, 4096}).Draw(t, "batch")})
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Columns {
			got.Columns[i].Values = nil
		}
		if !cmp.Equal(part(rows, 2, 0), got) {
			t.Fatalf("rows %v differ", rows)
		}
	})
	for _, most := range []int{1, 10_000, 1 << 30} {
		splits := s.(colstore.Splitter).Splits(most)
		if most == 1 && len(splits) < 4 || most == 1<<30 && len(splits) != 1 {
			t.Errorf("%d splits of at most %d rows: %v", len(splits), most, splits)
		}
		var wg sync.WaitGroup
		tables, errs := make([]*table, len(splits)), make([]error, len(splits))
		for i, r := range splits {
			wg.Go(func() { tables[i], errs[i] = collect(s, colstore.Scan{Rows: r}) })
		}
		wg.Wait()
		next := int64(0)
		for i, r := range splits {
			if errs[i] != nil || r.Begin != next {
				t.Fatal(r, errs[i])
			}
			if !cmp.Equal(part(r, 0, 1, 2), tables[i]) {
				t.Errorf("split %v differs", r)
			}
			next = r.End
		}
		if next != s.Rows() {
			t.Errorf("splits end at %d of %d", next, s.Rows())
		}
	}
}

// Without a dtype to be found the file is read once, to its end, and says so.
func TestOnePass(t *testing.T) {
	path := write(t, numbered(5000))
	found := reading{}.source(t, path)
	declared := map[string]colstore.DType{}
	for _, f := range found.Schema().All() {
		declared[f.Name] = f.Type
	}
	once := reading{project: format.Projection{Types: declared}}.source(t, path)
	if once.Rows() != -1 {
		t.Errorf("%d rows", once.Rows())
	}
	if _, ok := once.(colstore.Splitter); ok {
		t.Error("it splits")
	}
	for _, q := range []colstore.Scan{{}, {BatchRows: 7}, {Rows: colstore.Range{Begin: 4990}}, {Rows: colstore.Range{Begin: 100, End: 200}, BatchRows: 33}, {BatchRows: 1 << 30}} {
		want, err := collect(found, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := collect(once, q)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%+v: %s", q, d)
		}
	}
	// Once the file has been read as a whole, its rows are known whoever asks.
	f := openFile(t, path)
	for _, p := range []format.Projection{{Columns: []string{"n"}}, {Types: declared}} {
		s, err := f.Source(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.(colstore.Splitter); !ok || s.Rows() != 5001 {
			t.Errorf("%d rows, splits: %v", s.Rows(), ok)
		}
	}
	if u, ok := f.(format.Untyped); !ok || !u.Untyped() || !slices.Equal(f.Names(), []string{"n", "x", "text"}) {
		t.Errorf("names %q, untyped %v", f.Names(), ok)
	}
	freedom := func(s colstore.Source, name string) format.Freedom { return s.(format.Flexible).Freedom(name) }
	if freedom(found, "text") != format.Wider || freedom(found, "n") != format.Natural || freedom(found, "none") != format.Fixed ||
		freedom(once, "text") != format.Fixed {
		t.Error("the freedom of columns")
	}
	// No column at all is a way to count rows.
	none := reading{project: format.Projection{Columns: []string{}}}.source(t, path)
	if got, err := collect(none, colstore.Scan{BatchRows: 1000}); err != nil || got.Rows != 5001 {
		t.Error(got, err)
	}
	if got, err := collect(found, colstore.Scan{Columns: []string{}}); err != nil || got.Rows != 5001 {
		t.Error(got, err)
	}
}

// A file that changes between the passes, or between two scans, is an error; what is read meanwhile is never mixed up.
func TestChangedFile(t *testing.T) {
	text := numbered(30_000)
	later := time.Now().Add(time.Hour)
	tests := []struct {
		name   string
		change func(path string) error
		is     error
	}{
		{"touched", func(path string) error { return os.Chtimes(path, later, later) }, colstore.ErrFormat},
		{"cut", func(path string) error { return os.Truncate(path, int64(len(text)/2)) }, colstore.ErrTruncated},
		{"grown", func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("1,2,3\n")
			return err
		}, colstore.ErrFormat},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, text)
			s := reading{}.source(t, path)
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := collect(s, colstore.Scan{}); !errors.Is(err, c.is) || !strings.Contains(err.Error(), path) {
				t.Errorf("before a scan: %v", err)
			}
			path = write(t, text)
			s = reading{}.source(t, path)
			var err error
			for _, e := range s.Scan(t.Context(), colstore.Scan{BatchRows: 1000}) {
				if err = e; err == nil {
					err = c.change(path)
				}
				if err != nil {
					break
				}
			}
			if !errors.Is(err, c.is) {
				t.Errorf("within a scan: %v", err)
			}
		})
	}
	// Its size and time as before, but other cells.
	st := func(path string) time.Time {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for _, edit := range [][2]string{
		{"\n20000,", "\n2000x,"},
		{"\n20000,", "\n     ,"},
		{"\n20000,", "\n,0000,"},
		{"\n20000,", "\n2\n00,1"},
		{",2500.125,", ",2500,125,"},
		{strings.Repeat("é", 100) + "\n20000", strings.Repeat("éee", 50) + "\n20000"},
		{"\n20000,2500,", "\n20000,\"500,"},
	} {
		path := write(t, text)
		s := reading{}.source(t, path)
		when := st(path)
		if changed := strings.Replace(text, edit[0], edit[1], 1); len(changed) != len(text) || changed == text {
			t.Fatalf("%q", edit)
		} else if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		if _, err := collect(s, colstore.Scan{}); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", edit, err)
		}
	}
}

// counting is an allocator with a limit that knows what is out.
type counting struct {
	left, least int
	out         map[*byte]int
}

func (c *counting) Get(n int) []byte {
	if n > c.left {
		return nil
	}
	b := slices.Repeat([]byte{0xa5}, n+1)[:n]
	c.left -= n
	c.least = min(c.least, c.left)
	c.out[&b[:1][0]] = n
	return b
}

func (c *counting) Put(b []byte) {
	n, ok := c.out[&b[:1][0]]
	if !ok || n != len(b) {
		panic("a buffer that was not given out")
	}
	delete(c.out, &b[:1][0])
	c.left += n
}

func TestAllocator(t *testing.T) {
	path := write(t, numbered(5000))
	s := reading{}.source(t, path)
	want, err := collect(s, colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 100
	need := rows * s.Schema().RowBytes()
	mem := &counting{left: need, least: need, out: map[*byte]int{}}
	got, err := collect(s, colstore.Scan{BatchRows: rows, Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(want, got) {
		t.Error("other values")
	}
	if len(mem.out) != 0 || mem.left != need || mem.least != 0 {
		t.Errorf("%d buffers are out, %d bytes left of %d, least %d", len(mem.out), mem.left, need, mem.least)
	}
	mem.left--
	if _, err := collect(s, colstore.Scan{BatchRows: rows, Mem: mem}); !errors.Is(err, colstore.ErrBudget) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if len(mem.out) != 0 {
		t.Errorf("%d buffers are out after an error", len(mem.out))
	}
	// A bad cell gives the buffers back too.
	bad := reading{project: format.Projection{Types: types(t, "n=int16 x=int8 text=U9")}}.source(t, path)
	mem.left = math.MaxInt
	if _, err := collect(bad, colstore.Scan{Mem: mem}); !errors.Is(err, colstore.ErrValue) || len(mem.out) != 0 {
		t.Errorf("%v; %d buffers are out", err, len(mem.out))
	}
	// A batch that is kept keeps its buffers, and gives them back later.
	var kept *colstore.Batch
	for b, err := range s.Scan(t.Context(), colstore.Scan{BatchRows: rows, Mem: mem}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		kept = b
		break
	}
	if len(mem.out) != 3 {
		t.Errorf("%d buffers are out", len(mem.out))
	}
	kept.Release()
	if len(mem.out) != 0 {
		t.Errorf("%d buffers are out at last", len(mem.out))
	}
}

// What a scan holds beside its batches is what it says: a block, and more where records are long.
func TestCost(t *testing.T) {
	cost := func(text string) colstore.Cost {
		return reading{}.source(t, write(t, text)).(colstore.Coster).Cost(nil)
	}
	small, long := cost("a\n1\n"), cost("a\n"+strings.Repeat("x", 1<<20)+"\n")
	if small.Row != 8 || small.Fixed > 1<<20 || long.Row != 4<<20 || long.Fixed < 1<<20 || long.Fixed > 4<<20 {
		t.Errorf("%+v, %+v", small, long)
	}
}

func TestCancel(t *testing.T) {
	path := write(t, numbered(5000))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s := reading{}.source(t, path)
	n := 0
	for _, err := range s.Scan(ctx, colstore.Scan{BatchRows: 100}) {
		if n++; n == 3 {
			cancel(cause)
		}
		if err != nil && !errors.Is(err, cause) {
			t.Error(err)
		}
	}
	if n != 4 {
		t.Errorf("it ended after %d steps", n)
	}
	if _, err := openFile(t, path).Source(ctx, format.Projection{}); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// openFile opens a file with no options, which the test closes at its end.
func openFile(t *testing.T, path string) format.File {
	t.Helper()
	o, err := format.CheckOptions("reading csv", csv.Descriptor.Read.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := csv.Descriptor.Read.Open(t.Context(), &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestClosed(t *testing.T) {
	path := write(t, "a\n1\n")
	s, close, err := reading{}.open(path)
	if err != nil {
		t.Fatal(err)
	}
	close()
	close()
	if _, err := collect(s, colstore.Scan{}); !errors.Is(err, colstore.ErrClosed) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
