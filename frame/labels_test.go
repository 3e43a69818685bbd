package frame_test

import (
	"strings"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// TestLabelsAreText prints labels that would be markup or move a cursor.
func TestLabelsAreText(t *testing.T) {
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64}), colstore.Wrap([]int64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	flow, err := frame.From(src).
		Where(frame.MustParse("x > 1"), frame.Named("<b>|`a`*\n\x1b[2J")).
		Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"text": flow.Text(frame.ShowAll), "Markdown": flow.Markdown(frame.ShowAll), "HTML": flow.HTML(frame.ShowAll)} {
		if strings.ContainsAny(text, "\x1b") || strings.Count(text, "\n") > 6 {
			t.Errorf("%s keeps control characters: %q", form, text)
		}
		if form != "text" && strings.Contains(text, "<b>") {
			t.Errorf("%s keeps markup: %q", form, text)
		}
	}
	if md := flow.Markdown(frame.ShowAll); !strings.Contains(md, "&lt;b&gt;\\|\\`a\\`\\*") {
		t.Errorf("Markdown %q", md)
	}
}

func TestTimesOfGo(t *testing.T) {
	src := open(t, "expr.cstore")
	for text, e := range map[string]frame.Expr{
		"dt < @p": frame.Col("dt").Lt(90 * time.Second),
		"t >= @q": frame.Col("t").Ge(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)),
		"d < @r":  frame.Col("d").Lt(time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)),
		"d != @n": frame.Col("d").Ne(time.Time{}),
	} {
		want, err := frame.Parse(text, frame.Params{
			"p": colstore.TimeScalar(colstore.TimedeltaOf(colstore.Second), 90),
			"q": colstore.TimeScalar(colstore.DatetimeOf(colstore.Second), 1577836800),
			"r": colstore.TimeScalar(colstore.DatetimeOf(colstore.Day), -171650),
			"n": colstore.TimeScalar(colstore.DatetimeOf(colstore.Day), colstore.NaT),
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := frame.From(src).Where(e).Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := frame.From(src).Where(want).Count(t.Context())
		if err != nil || a != b {
			t.Errorf("%s: %d rows instead of %d, %v", text, a, b, err)
		}
	}
}
