package frame_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
)

var errMine = errors.New("my error")

// However a frame is read, a function of the program that panics or fails is an error with its name.
func TestOwnFunctionsFailInEveryTerminal(t *testing.T) {
	t.Parallel()
	panics := ops.Map1("panics", "", func([]float64, []float64) { panic("no such luck") })
	fails := ops.Vectorized("fails", "", 1,
		func([]colstore.DType) (colstore.DType, error) { return colstore.Float64, nil },
		func(colstore.Column, []colstore.Column) error { return errMine })
	src := open(t, "expr.cstore")
	terminals := map[string]func(context.Context, *frame.Frame) error{
		"Collect": func(ctx context.Context, f *frame.Frame) error { _, err := f.Collect(ctx); return err },
		"Count":   func(ctx context.Context, f *frame.Frame) error { _, err := f.Count(ctx); return err },
		"Report":  func(ctx context.Context, f *frame.Frame) error { _, err := f.Report(ctx); return err },
		"First":   func(ctx context.Context, f *frame.Frame) error { _, _, err := f.First(ctx, 3); return err },
		"Reduce": func(ctx context.Context, f *frame.Frame) error {
			_, err := f.Reduce(ctx, ops.Sum("x"))
			return err
		},
		"Batches": func(ctx context.Context, f *frame.Frame) error {
			for _, err := range f.Batches(ctx, 7) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	for want, own := range map[string]*ops.Func{"panics: panic: no such luck": &panics, "fails: my error": &fails} {
		f := frame.From(src).Assign("x", frame.CallFunc(own, frame.Col("f8"))).Where(frame.MustParse("x > 0"))
		for name, read := range terminals {
			err := read(t.Context(), f)
			if err == nil || !strings.Contains(err.Error(), want) || own == &fails && !errors.Is(err, errMine) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}
