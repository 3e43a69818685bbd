//go:build unix

package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

// cutReader opens a file that is cut at a byte afterwards.
func cutReader(tb testing.TB, data []byte, at int64) *cstore.Reader {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "in.cstore")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	if err := os.Truncate(path, at); err != nil {
		tb.Fatal(err)
	}
	return r
}

// isCut reports an error that is not that of a file which was cut: it names the file and an offset.
func isCut(err error, path string) error {
	switch {
	case err == nil:
		return errors.New("there is no error")
	case !errors.Is(err, colstore.ErrTruncated):
		return fmt.Errorf("the error is another: %w", err)
	case !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "offset"):
		return fmt.Errorf("file or offset is missing: %w", err)
	}
	return nil
}

// image returns the bytes of a file of several records with the rows of table and more columns.
func image(tb testing.TB, rows int) []byte {
	tb.Helper()
	b := table(tb, rows, 3)
	more, err := frame.From(source.Memory(b)).
		Assign("text", frame.MustParse("astype(name, 'U3')")).
		Assign("half", frame.MustParse("astype(w, 'f2')")).
		Assign("small", frame.MustParse("astype(k, 'i1')")).
		Assign("natural", frame.MustParse("astype(id, 'u8')")).
		Assign("since", frame.MustParse("astype(id, 'm8[s]')")).
		Collect(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(store(tb, tb.TempDir(), more, rows, 3000)[0])
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// cuts returns places where a file is cut so that every column of it loses a page: one that is drawn is among them.
func cuts(data []byte, seed uint64) []int64 {
	r := rand.New(rand.NewPCG(seed, 7))
	return []int64{4096, int64(len(data)) / 2, 4096 + r.Int64N(int64(len(data))*3/4)}
}

// Every function of expressions, on columns of every kind that it takes, tells that the file was cut beneath it.
func TestCutUnderEveryFunction(t *testing.T) {
	data := image(t, 12_000)
	tried := 0
	for i, at := range cuts(data, 1) {
		r := cutReader(t, data, at)
		columns := make([]any, r.Schema().Len())
		for i, f := range r.Schema().All() {
			columns[i] = frame.Col(f.Name)
		}
		for _, name := range ops.Names() {
			fn, _ := ops.Lookup(name)
			for _, args := range arguments(columns, fn.MinArgs, fn.MaxArgs) {
				f := frame.From(r).Assign("result", frame.Call(name, args...)).Select("result")
				if f.Err() != nil {
					continue // not for these types
				}
				tried++
				if _, err := f.Collect(t.Context()); !errors.Is(err, colstore.ErrValue) {
					if err := isCut(err, r.Path()); err != nil {
						t.Errorf("%s of %v, cut at %d: %v", name, args, at, err)
					}
				}
				if i > 0 && len(args) > 1 {
					break // one of each is enough
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d calls were tried", tried)
	}
}

// arguments returns lists of columns and literals as arguments of a function.
func arguments(columns []any, least, most int) (out [][]any) {
	for n := max(least, 1); n <= min(most, 3); n++ {
		for i, c := range columns {
			switch n {
			case 1:
				out = append(out, []any{c})
			case 2:
				out = append(out, []any{c, c}, []any{c, columns[(i+1)%len(columns)]}, []any{c, 3}, []any{c, "x"}, []any{c, "i4"})
			default:
				out = append(out, []any{c, c, c}, []any{c, 1, 2}, []any{c, "a", "b"})
			}
		}
	}
	return out
}

// Casts, reductions, cuts, previews and views tell it too, and so does whatever runs in several goroutines.
func TestCutUnderEveryReader(t *testing.T) {
	data := image(t, 12_000)
	readers := map[string]func(ctx context.Context, r *cstore.Reader) error{
		"collect": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Collect(ctx)
			return err
		},
		"cut": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Where(frame.MustParse("x > 0 and k < 20")).Count(ctx)
			return err
		},
		"cut of text": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Where(frame.MustParse("name in ['ax', 'by'] or text == 'cx'")).Collect(ctx)
			return err
		},
		"compress": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Where(frame.MustParse("ok")).Collect(ctx)
			return err
		},
		"cutflow": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Where(frame.MustParse("x > 0"), frame.Named("cut"), frame.Weighted("w")).Report(ctx)
			return err
		},
		"last rows": func(ctx context.Context, r *cstore.Reader) error {
			_, _, err := frame.From(r).Last(ctx, 5)
			return err
		},
		"head": func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Head(ctx, 12_000, frame.PreviewOptions{})
			return err
		},
		"batches": func(ctx context.Context, r *cstore.Reader) error {
			for _, err := range frame.From(r).Batches(ctx, 700) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"match": func(ctx context.Context, r *cstore.Reader) error {
			_, _, err := frame.New().Where(frame.MustParse("x > 0")).Match(ctx, r)
			return err
		},
		"slice": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.ViewOf(r).Pick(source.All().By(3)).Collect(ctx)
			return err
		},
		"gather": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.ViewOf(r).Pick(source.Rows(11_999, 0, 7, 11_000, 6000)).Collect(ctx)
			return err
		},
		"predicate": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.ViewOf(r).Pick(source.Where(frame.New().Where(frame.MustParse("x > 0")))).Collect(ctx)
			return err
		},
		"records": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.ViewOf(r).Records(ctx)
			return err
		},
		"structs": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.Structs[struct {
				X float64 `colstore:"x"`
				N int64   `colstore:"id"`
			}](ctx, source.ViewOf(r).Select("x", "id"))
			return err
		},
		"values": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.Values[float64](ctx, source.ViewOf(r), "x")
			return err
		},
		"strings": func(ctx context.Context, r *cstore.Reader) error {
			_, err := source.Strings(ctx, source.ViewOf(r), "text")
			return err
		},
		"verify": func(ctx context.Context, r *cstore.Reader) error {
			_, err := cstore.Verify(ctx, r.Path(), nil)
			if errors.Is(err, colstore.ErrTruncated) && strings.Contains(err.Error(), r.Path()) {
				return nil // it opens the file itself
			}
			return fmt.Errorf("verified: %w", err)
		},
	}
	for _, code := range []string{"f4", "i8", "S4", "U5", "f8", "b1", "m8[s]"} {
		for _, column := range []string{"x", "k", "name", "text", "when", "ok", "half"} {
			readers["cast "+column+" to "+code] = func(ctx context.Context, r *cstore.Reader) error {
				to, err := colstore.ParseDType(code)
				if err != nil {
					return err
				}
				f := frame.From(r).Cast(map[string]colstore.DType{column: to}).Select(column)
				if f.Err() != nil {
					return nil
				}
				_, err = f.Collect(ctx)
				if errors.Is(err, colstore.ErrValue) {
					return nil
				}
				return err
			}
		}
	}
	aggs := []ops.Agg{ops.Hist1D("x", ops.AxisAround(8, -3, 3), nil), ops.Hist2D("x", "k", ops.AxisAround(8, -3, 3), ops.AxisAround(8, -50, 50), &ops.HistOptions{Weight: "w"})}
	for _, name := range []string{"sum", "mean", "min", "max", "std", "var", "count", "median"} {
		a, err := ops.AggByName(name, "x", 0)
		if err != nil {
			t.Fatal(err)
		}
		aggs = append(aggs, a)
	}
	for i, a := range aggs {
		readers[fmt.Sprint("reduction ", i)] = func(ctx context.Context, r *cstore.Reader) error {
			_, err := frame.From(r).Reduce(ctx, a)
			return err
		}
		for _, workers := range []int{1, 2, 8} {
			readers[fmt.Sprint("reduction ", i, " by ", workers)] = func(ctx context.Context, r *cstore.Reader) error {
				_, err := runtime.Reduce(ctx, frame.From(r), &runtime.Options{Workers: workers, BatchRows: 500}, a)
				return err
			}
		}
	}
	for _, workers := range []int{1, 2, 8} {
		readers[fmt.Sprint("batches by ", workers)] = func(ctx context.Context, r *cstore.Reader) error {
			for _, err := range runtime.Batches(ctx, frame.From(r).Assign("y", frame.MustParse("x * k")), &runtime.Options{Workers: workers, BatchRows: 500}) {
				if err != nil {
					return err
				}
			}
			return nil
		}
		readers[fmt.Sprint("cutflow by ", workers)] = func(ctx context.Context, r *cstore.Reader) error {
			_, err := runtime.Cutflow(ctx, frame.From(r).Where(frame.MustParse("x > 0"), frame.Named("cut")), &runtime.Options{Workers: workers, BatchRows: 500})
			return err
		}
	}
	for _, at := range cuts(data, 2) {
		r := cutReader(t, data, at)
		for name, read := range readers {
			err := read(t.Context(), r)
			if err == nil && (strings.HasPrefix(name, "cast") || name == "verify") {
				continue
			}
			if err := isCut(err, r.Path()); err != nil {
				t.Errorf("%s, cut at %d: %v", name, at, err)
			}
		}
	}
}

// cutting is a file that is cut when a scan is about to yield its n-th batch.
type cutting struct {
	*cstore.Reader
	left atomic.Int64
	at   int64
}

func (c *cutting) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		for b, err := range c.Reader.Scan(ctx, s) {
			if c.left.Add(-1) == 0 {
				if err := os.Truncate(c.Path(), c.at); err != nil {
					yield(nil, err)
					return
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Every output tells that its input was cut, before or while it was written, whatever the workers, and leaves nothing.
func TestCutUnderEveryOutput(t *testing.T) {
	data := image(t, 12_000)
	outputs := []pipeline.Output{
		{Path: "out.cstore"}, {Path: "out.cstore", Options: map[string]any{"compact": false}}, {Path: "out.cstore", Options: map[string]any{"statistics": true}},
		{Path: "out.parquet"}, {Path: "out.csv"}, {Path: "out.json"}, {Path: "out.jsonl"}, {Path: "out.npz"}, {Path: "out.feather"}, {Path: "out.root"},
	}
	frames := map[string]func(src colstore.Source) *frame.Frame{
		"as it is": func(src colstore.Source) *frame.Frame { return frame.From(src).Drop("half", "since") },
		"computed": func(src colstore.Source) *frame.Frame {
			return frame.From(src).Select("x", "k", "name").Assign("y", frame.MustParse("x * k")).Where(frame.MustParse("x > -1"))
		},
	}
	seed := uint64(0)
	for _, out := range outputs {
		for name, f := range frames {
			for _, workers := range []int{1, 2, 8} {
				for _, begun := range []bool{false, true} {
					seed++
					dir := t.TempDir()
					at := cuts(data, seed)[2]
					var src colstore.Source
					var path string
					if begun {
						c := &cutting{Reader: cutReader(t, data, int64(len(data))), at: at}
						c.left.Store(1 + int64(seed%5))
						src, path = c, c.Path()
					} else {
						r := cutReader(t, data, at)
						src, path = r, r.Path()
					}
					o, from := out, f(src)
					o.Path = filepath.Join(dir, out.Path)
					if out.Path == "out.root" {
						from = from.Select("x", "k")
					}
					_, err := runtime.Write(t.Context(), from, o, &runtime.Options{Workers: workers, BatchRows: 700})
					if err := isCut(err, path); err != nil {
						t.Errorf("%s %v %s, %d workers, cut at %d, begun %v: %v", out.Path, out.Options, name, workers, at, begun, err)
					}
					if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
						t.Errorf("%s: %v are left, %v", out.Path, left, err)
					}
				}
			}
		}
	}
}

// A sink that a program gives a view of a file that was cut tells of it, and can be given other rows after that.
func TestCutUnderEverySink(t *testing.T) {
	data := image(t, 12_000)
	for _, name := range []string{"out.cstore", "out.parquet", "out.csv", "out.json", "out.jsonl", "out.npz", "out.feather", "out.root"} {
		columns := []string{"x", "k", "w", "name", "text"}
		if name == "out.root" {
			columns = columns[:3]
		}
		for _, threads := range []int{1, 3} {
			r := cutReader(t, data, 40_000)
			dir := t.TempDir()
			schema, err := r.Schema().Select(columns...)
			if err != nil {
				t.Fatal(err)
			}
			s, err := sink.Create(t.Context(), sink.Spec{Path: filepath.Join(dir, name), Schema: schema, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			err = fault.Guard(func() error {
				for b, err := range r.Scan(t.Context(), colstore.Scan{Columns: columns}) {
					if err == nil {
						err = s.Write(t.Context(), b)
					}
					if err != nil {
						return err
					}
				}
				return s.Commit(t.Context())
			})
			if err := isCut(err, r.Path()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := s.Abort(); err != nil {
				t.Errorf("%s: aborted with %v", name, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s: %v are left, %v", name, left, err)
			}
		}
	}
}

// What was opened as another format and is cut then is an error that names the file, and nothing is written of it.
func TestCutUnderEveryFormat(t *testing.T) {
	all := frame.From(source.Memory(table(t, 20_000, 4))).Select("id", "x", "k")
	for _, name := range []string{"in.parquet", "in.feather", "in.npz", "in.csv", "in.json", "in.jsonl", "in.root", "in.cstore"} {
		whole := filepath.Join(t.TempDir(), name)
		o := pipeline.Output{Path: whole}
		if name == "in.feather" {
			o.Options = map[string]any{"compression": "none"} // views of the mapping
		}
		if _, err := runtime.Write(t.Context(), all, o, nil); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range append(cuts(data, 5), int64(len(data))-1_000, 1) {
			for _, workers := range []int{1, 3} {
				dir := t.TempDir()
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, data, 0o666); err != nil {
					t.Fatal(err)
				}
				src, err := source.OpenPath(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, at); err != nil {
					t.Fatal(err)
				}
				_, err = runtime.Write(t.Context(), frame.From(src), pipeline.Output{Path: filepath.Join(dir, "out.csv")}, &runtime.Options{Workers: workers})
				whole := err == nil && i == 3 && name != "in.csv" && name != "in.jsonl" // only what is behind the rows is gone
				if !whole && (err == nil || !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), path)) {
					t.Errorf("%s cut at %d of %d, %d workers: %v", name, at, len(data), workers, err)
				}
				if _, err := os.Stat(filepath.Join(dir, "out.csv")); (err == nil) != whole {
					t.Errorf("%s cut at %d: the output is there: %v", name, at, err == nil)
				}
				if err := src.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A file that another takes the name of while it is read is read to its end: the rows are all the old file's.
func TestReplacedWhileRead(t *testing.T) {
	old, young := table(t, 12_000, 1), table(t, 9_000, 2)
	want, err := frame.From(source.Memory(old)).Select("id", "x").Assign("y", frame.MustParse("x * 2")).Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 8} {
		dir := t.TempDir()
		path := store(t, dir, old, 1<<30, 3000)[0]
		r, err := cstore.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, replaced := 0, false
		for b, err := range runtime.Batches(t.Context(), frame.From(r).Select("id", "x").Assign("y", frame.MustParse("x * 2")), &runtime.Options{Workers: workers, BatchRows: 500}) {
			if err != nil {
				t.Fatal(err)
			}
			if !replaced {
				replaced = true
				if err := cstore.Store(t.Context(), path, young, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range want.Schema().Len() {
				got, _ := b.At(i).Bytes()
				part, _ := want.At(i).Slice(rows, rows+b.Rows(), 1).Bytes()
				if !bytes.Equal(got, part) {
					t.Fatalf("%d workers: rows from %d on are others", workers, rows)
				}
			}
			rows += b.Rows()
		}
		if rows != old.Rows() {
			t.Errorf("%d workers: %d rows", workers, rows)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that is overwritten in place by a program that knows no better gives rows of both, and ends nothing.
func TestOverwrittenWhileRead(t *testing.T) {
	data := image(t, 12_000)
	r := rand.New(rand.NewPCG(1, 1))
	for _, workers := range []int{1, 8} {
		c := &cutting{Reader: cutReader(t, data, int64(len(data))), at: int64(len(data))}
		path := c.Path()
		rows := 0
		for b, err := range runtime.Batches(t.Context(), frame.From(c).Assign("y", frame.MustParse("astype(x * k, 'i4')")).Where(frame.MustParse("ok or name != 'ax'")), &runtime.Options{Workers: workers, BatchRows: 500}) {
			if err != nil {
				if !errors.Is(err, colstore.ErrValue) {
					t.Errorf("%d workers: %v", workers, err)
				}
				break
			}
			if rows += b.Rows(); rows < 4000 {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				noise := make([]byte, len(data)/3)
				for i := range noise {
					noise[i] = byte(r.Uint32())
				}
				if _, err := f.WriteAt(noise, r.Int64N(int64(len(data)-len(noise)))); err != nil {
					t.Fatal(err)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
