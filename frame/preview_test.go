package frame_test

import (
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/golden"
)

func TestGoldenPreviews(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "preview" {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			src := open(t, c.Source)
			f := frame.From(src)
			if c.Columns != nil {
				f = f.Select(c.Columns...)
			}
			pick := f.First
			if c.Which == "tail" {
				pick = f.Last
			}
			b, rows, err := pick(t.Context(), c.N)
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Text string }
			golden.Decode(t, c.Expect, &want)
			title, _, _ := strings.Cut(want.Text[strings.LastIndexByte(want.Text, '[')+1:], ":")
			if got := frame.NewPreview(title, b, rows, frame.PreviewOptions{}).Text(80); got != want.Text {
				t.Errorf("got\n%s\nwant\n%s", got, want.Text)
			}
		})
	}
	if n != 9 {
		t.Errorf("%d cases", n)
	}
}

// Wanted texts are those of the Python package for the same values.
func TestPreviewCells(t *testing.T) {
	us := colstore.DatetimeOf(colstore.Microsecond)
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "f", Type: colstore.Float64}, colstore.Field{Name: "td", Type: colstore.TimedeltaOf(colstore.Second)},
		colstore.Field{Name: "tdus", Type: colstore.TimedeltaOf(colstore.Microsecond)}, colstore.Field{Name: "ns", Type: colstore.TimedeltaOf(colstore.Nanosecond)},
		colstore.Field{Name: "us", Type: us}, colstore.Field{Name: "s", Type: colstore.BytesOf(2)}),
		colstore.Wrap([]float64{1e20, 1.5, 0}), colstore.Wrap([]int64{1, -5, colstore.NaT}).As(colstore.TimedeltaOf(colstore.Second)),
		colstore.Wrap([]int64{1, 400000, -1}).As(colstore.TimedeltaOf(colstore.Microsecond)), colstore.Wrap([]int64{1, -5, colstore.NaT}).As(colstore.TimedeltaOf(colstore.Nanosecond)),
		colstore.Wrap([]int64{0, 86400_000_000, colstore.NaT}).As(us), bytesColumn(t, 2, "\xff\xfe", "ab", "\x1b["))
	if err != nil {
		t.Fatal(err)
	}
	p := frame.NewPreview("x", b, []int64{0, 1, 2}, frame.PreviewOptions{})
	want := [][]string{
		{"100000000000000000000.0", "0:00:01", "0:00:00.000001", "1", "1970-01-01", `b'\xff\xfe'`},
		{"1.5", "-1 day, 23:59:55", "0:00:00.400000", "-5", "1970-01-02", "ab"},
		{"0.0", "None", "-1 day, 23:59:59.999999", "None", "NaT", "\uFFFD["},
	}
	for i, row := range want {
		for j, w := range row {
			if got := p.Cells[i][j]; got != w {
				t.Errorf("row %d, %s: %q, want %q", i, p.Names[j], got, w)
			}
		}
	}
}

func bytesColumn(tb testing.TB, width int, values ...string) colstore.Column {
	tb.Helper()
	var data []byte
	for _, v := range values {
		data = append(data, v...)
		data = append(data, make([]byte, width-len(v))...)
	}
	c, err := colstore.NewColumn(colstore.BytesOf(width), len(values), data)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
