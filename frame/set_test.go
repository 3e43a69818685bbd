package frame_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// Frames that are bound together leave the rows that each leaves alone, whatever they share, for any batches.
func TestSet(t *testing.T) {
	t.Parallel()
	cuts := []string{"x > -2", "i % 3 != 0", "x * i < 900", "sqrt(abs(x)) < 1.5 or i < 20", "i > 1e6", "i >= 0", "i ** 2 > 30"}
	values := []string{
		"x * i", "sqrt(abs(x))", "x * i < 900", "not (x * i < 900) and sqrt(abs(x)) < 1.5", "where(x * i < 900, x, i + 0.5)", "7",
		"i ** 2", "(x * i < 900) & (x > 0)", "i", "x + sqrt(abs(x))",
	}
	rapid.Check(t, func(rt *rapid.T) {
		src := stream{numbers(t, rapid.SampledFrom([]int{0, 1, 700, 3000}).Draw(rt, "rows")), rapid.SampledFrom([]int{7, 512, 100_000}).Draw(rt, "batch")}
		frames := make([]*frame.Frame, rapid.IntRange(1, 4).Draw(rt, "frames"))
		for j := range frames {
			f := frame.From(src)
			for range rapid.IntRange(0, 6).Draw(rt, "steps") {
				switch rapid.IntRange(0, 3).Draw(rt, "step") {
				case 0:
					f = f.Where(frame.MustParse(rapid.SampledFrom(cuts).Draw(rt, "cut")))
				case 1:
					f = f.Sample(0.7, 1)
				case 2:
					f = f.Assign(rapid.StringMatching("[abc]").Draw(rt, "row"), frame.Row().Add(1))
				default:
					f = f.Assign(rapid.StringMatching("[abc]").Draw(rt, "name"), frame.MustParse(rapid.SampledFrom(values).Draw(rt, "value")))
				}
			}
			if rapid.Bool().Draw(rt, "narrow") {
				f = f.Assign("last", frame.MustParse(rapid.SampledFrom(values).Draw(rt, "last"))).Select("last")
			}
			frames[j] = f
		}
		set, err := frame.BindSet(src.Schema(), frames...)
		if err != nil {
			rt.Fatal(err)
		}
		parts := make([][]*colstore.Batch, len(frames))
		for in, err := range src.Scan(t.Context(), colstore.Scan{Columns: set.Inputs()}) {
			if err != nil {
				rt.Fatal(err)
			}
			out, err := set.Eval(t.Context(), in, nil, nil)
			if err != nil {
				rt.Fatal(err)
			}
			for j, b := range out {
				parts[j] = append(parts[j], b.Detach())
				b.Release()
			}
		}
		for j, f := range frames {
			got, err := colstore.Stack(set.Schema(j), parts[j]...)
			if err != nil {
				rt.Fatal(err)
			}
			if g, w := dump(got), collect(t, f); g != w {
				rt.Fatalf("frame %d: %q\nwant\n%q", j, g, w)
			}
		}
	})
}
