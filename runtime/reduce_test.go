package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// TestReduceInSeveralPasses asks for more sketches than the budget holds at once.
func TestReduceInSeveralPasses(t *testing.T) {
	var fields []colstore.Field
	var cols []colstore.Column
	var aggs []ops.Agg
	for i := range 40 {
		name := fmt.Sprintf("c%d", i)
		values := make([]float64, 100)
		for j := range values {
			values[j] = float64(i*j%17) * 1.5
		}
		fields, cols = append(fields, colstore.Field{Name: name, Type: colstore.Float64}), append(cols, colstore.Wrap(values))
		aggs = append(aggs, ops.Median(name), ops.Sum(name), ops.Quantile(name, 0.9))
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	f := frame.From(src)
	want, err := f.Reduce(t.Context(), aggs...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runtime.Reduce(t.Context(), f, nil, aggs...)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(all []ops.Result) (out []string) {
		for _, r := range all {
			out = append(out, fmt.Sprint(r.Float()))
		}
		return out
	}
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Error(diff)
	}
	if _, err := runtime.Reduce(t.Context(), f, &runtime.Options{Budget: 64 << 10}, aggs...); !errors.Is(err, colstore.ErrBudget) {
		t.Errorf("a budget that holds no sketch: %v", err)
	}
}

// TestErrorsNameTheFile has a bad value in the second file, and wants it named with the row in it.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	s := colstore.MustSchema(colstore.Field{Name: "n", Type: colstore.Int64})
	var paths []string
	for i, values := range [][]int64{{1, 2, 3}, {4, -5}} {
		b, err := colstore.NewBatch(s, colstore.Wrap(values))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.cstore", i))
		if err := cstore.Store(t.Context(), path, b, nil); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f := frame.From(src).Where(frame.MustParse("2 ** n > 0"))
	overView := frame.From(source.ViewOf(src).Pick(source.Rows(0, 4, 1))).Where(frame.MustParse("2 ** n > 0"))
	for name, run := range map[string]func() error{
		"count":    func() error { _, err := f.Count(t.Context()); return err },
		"first":    func() error { _, _, err := f.First(t.Context(), 10); return err },
		"reduce":   func() error { _, err := f.Reduce(t.Context(), ops.Sum("n")); return err },
		"parallel": func() error { _, err := runtime.Reduce(t.Context(), f, nil, ops.Sum("n")); return err },
		"cutflow":  func() error { _, err := runtime.Cutflow(t.Context(), f, nil); return err },
		"write": func() error {
			_, err := runtime.WriteFile(t.Context(), f, filepath.Join(dir, "out.cstore"))
			return err
		},
		"limit":      func() error { _, err := f.Limit(5).Count(t.Context()); return err },
		"over views": func() error { _, err := overView.Count(t.Context()); return err },
	} {
		err := run()
		e, ok := errors.AsType[*colstore.Error](err)
		if !ok || e.Path != paths[1] || e.Row != colstore.At(1) || !strings.Contains(err.Error(), "2 ** n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// inSequence is a source that cannot start inside, and notes how many rows of a batch it is asked for.
type inSequence struct {
	colstore.Source
	rows []int
}

func (s *inSequence) Scan(ctx context.Context, scan colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	s.rows = append(s.rows, scan.BatchRows)
	return s.Source.Scan(ctx, scan)
}

// Rows that are wide and few are not left to the source to be cut: its own batches know no budget.
func TestReduceFewWideRows(t *testing.T) {
	const rows, width = 12, 3 << 20
	wide, err := colstore.NewColumn(colstore.BytesOf(width), rows, make([]byte, rows*width))
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.BatchOf(colstore.Name("s", wide))
	if err != nil {
		t.Fatal(err)
	}
	src := &inSequence{Source: source.Memory(b)}
	own := ops.Count("")
	own.Args = []string{"s"}
	got, err := runtime.Reduce(t.Context(), frame.From(src), &runtime.Options{Workers: 2, Budget: 20 * colstore.MiB}, own)
	if err != nil || got[0].Float() != rows {
		t.Errorf("%v rows, %v", got, err)
	}
	for _, n := range src.rows {
		if n < 1 || n > 2 {
			t.Errorf("batches of %d rows", n)
		}
	}
}
