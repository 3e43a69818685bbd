package plot_test

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go-hep.org/x/hep/groot/rhist"
	"go-hep.org/x/hep/groot/riofs"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/plot"
	"github.com/colstore/colstore-go/ops"
)

// fill makes a histogram of rows of x, or of x and y, with weights or without.
func fill(tb testing.TB, axes []ops.Axis, x, y, w []float64) *ops.Hist {
	tb.Helper()
	o := &ops.HistOptions{}
	cols := []colstore.Column{colstore.Wrap(x)}
	if w != nil {
		o.Weight = "w"
	}
	a := ops.Hist1D("x", axes[0], o)
	if y != nil {
		a = ops.Hist2D("x", "y", axes[0], axes[1], o)
		cols = append(cols, colstore.Wrap(y))
	}
	if w != nil {
		cols = append(cols, colstore.Wrap(w))
	}
	types := make([]colstore.DType, len(cols))
	for i, c := range cols {
		types[i] = c.Type()
	}
	s, err := a.New(types, 0)
	if err != nil {
		tb.Fatal(err)
	}
	s.Add(0, len(x), cols)
	return a.Value(s).Hist
}

// samples are histograms of every kind.
func samples(tb testing.TB) map[string]*ops.Hist {
	tb.Helper()
	var x, y, w []float64
	for i := range 1000 {
		f := float64(i)
		x, y, w = append(x, 3*math.Sin(f)), append(y, math.Cos(2*f)+math.Sin(f)), append(w, math.Sin(7*f)+1)
	}
	x[17] = math.NaN()
	four := ops.Axis{Bins: 4, Low: -2, High: 2}
	three := ops.Axis{Bins: 3, Low: -1, High: 1}
	return map[string]*ops.Hist{
		"1-D":          fill(tb, []ops.Axis{four}, x, nil, nil),
		"weighted 1-D": fill(tb, []ops.Axis{four}, x, nil, w),
		"2-D":          fill(tb, []ops.Axis{four, three}, x, y, nil),
		"weighted 2-D": fill(tb, []ops.Axis{four, three}, x, y, w),
		"empty":        fill(tb, []ops.Axis{four}, nil, nil, nil),
		"empty 2-D":    fill(tb, []ops.Axis{four, three}, []float64{}, []float64{}, nil),
	}
}

func TestEncodeHasNoTime(t *testing.T) {
	dates := regexp.MustCompile(`D:20[2-9]|202[0-9]-`)
	for name, h := range samples(t) {
		for _, f := range plot.Formats() {
			l := plot.Labels{X: "x", Y: "y*2", Weight: "w"}
			one, err := plot.Encode(f, h, l)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, f, err)
			}
			two, err := plot.Encode(f, h, l)
			if err != nil || !bytes.Equal(one, two) {
				t.Errorf("%s as %s: not the same twice, %v", name, f, err)
			}
			if m := dates.Find(one); f != "png" && m != nil {
				t.Errorf("%s as %s has a date: %q", name, f, m)
			}
			if head := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF", "root": "root", "json": "{"}[f]; !strings.HasPrefix(string(one), head) {
				t.Errorf("%s as %s begins %q", name, f, one[:8])
			}
		}
	}
	if _, err := plot.Encode("gif", samples(t)["1-D"], plot.Labels{}); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("gif: %v", err)
	}
}

// memory is a ROOT file in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func TestRootFilesAreRead(t *testing.T) {
	if data, err := plot.Encode("root", samples(t)["1-D"], plot.Labels{X: strings.Repeat("é", 1<<16)}); err != nil || len(data) > 1<<16 {
		t.Errorf("an endless title: %d bytes, %v", len(data), err)
	}
	long := strings.Repeat("pt + ", 60) + "1"
	for name, h := range samples(t) {
		data, err := plot.Encode("root", h, plot.Labels{X: long, Weight: "w"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := riofs.NewReader(memory{bytes.NewReader(data)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		obj, err := f.Get(plot.HistKey)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, ok := obj.(interface {
			Entries() float64
			SumW2s() []float64
			Title() string
		})
		if !ok || got.Entries() != float64(h.Entries) || !equal(got.SumW2s(), h.SumW2) || got.Title() != long+", weighted by w" {
			t.Errorf("%s: %T of %v entries, want %d", name, obj, got.Entries(), h.Entries)
		}
		var sums []float64
		switch obj := obj.(type) {
		case *rhist.H1D:
			sums = obj.Array().Data
			if obj.NbinsX() != h.X.Bins || obj.XBinLowEdge(2) != h.X.Edge(1) {
				t.Errorf("%s: %d bins", name, obj.NbinsX())
			}
		case *rhist.H2D:
			sums = obj.Array().Data
			if obj.NbinsY() != h.Y.Bins || obj.YBinLowEdge(2) != h.Y.Edge(1) {
				t.Errorf("%s: %d bins", name, obj.NbinsY())
			}
		}
		if !equal(sums, h.SumW) {
			t.Errorf("%s: contents %v, want %v", name, sums, h.SumW)
		}
		inside := 0.0
		for iy := range max(1, h.Y.Bins) {
			for ix := range h.X.Bins {
				cell := h.Cell(ix+1, 0)
				if h.Is2D() {
					cell = h.Cell(ix+1, iy+1)
				}
				inside += h.SumW[cell]
			}
		}
		if s := obj.(interface{ SumW() float64 }).SumW(); math.Abs(s-inside) > 1e-12*math.Abs(inside) {
			t.Errorf("%s: sum of the bins %v, want %v", name, s, inside)
		}
		if len(f.StreamerInfos()) < 14 {
			t.Errorf("%s: %d layouts", name, len(f.StreamerInfos()))
		}
	}
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestTextFits(t *testing.T) {
	for name, h := range samples(t) {
		for _, width := range []int{50, 80, 200} {
			for line := range strings.SplitSeq(plot.Text(h, plot.Labels{X: "x", Y: "y"}, width), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%s in %d: %q has %d", name, width, line, n)
				}
			}
		}
	}
	fine := ops.Axis{Bins: 500, High: 1}
	h := fill(t, []ops.Axis{fine, fine}, []float64{0.1, 0.5}, []float64{0.2, 1}, nil)
	for line := range strings.SplitSeq(plot.Text(h, plot.Labels{X: "x", Y: "y"}, 80), "\n") {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%q has %d", line, n)
		}
	}
}

// What is hard to draw gives a picture or an error, no panic.
func TestStrangeContents(t *testing.T) {
	axis := ops.Axis{Bins: 3, Low: 0, High: 3}
	x := []float64{0, 1, 2}
	for _, w := range [][]float64{
		{math.NaN(), math.Inf(1), 1}, {1e308, 1e308, 1}, {-1e308, 1e308, 0}, {5e-324, 0, 0}, {-1, -2, -3},
	} {
		for _, h := range []*ops.Hist{fill(t, []ops.Axis{axis}, x, nil, w), fill(t, []ops.Axis{axis, axis}, x, x, w)} {
			for _, f := range plot.Formats() {
				if _, err := plot.Encode(f, h, plot.Labels{X: "µ é 日本", Y: "y"}); err != nil && !errors.Is(err, colstore.ErrValue) {
					t.Errorf("%v as %s: %v", w, f, err)
				}
			}
			plot.Text(h, plot.Labels{X: "x", Y: "y"}, 80)
		}
	}
	for _, a := range []ops.Axis{{Bins: 2, Low: -8e307, High: 8e307}, {Bins: 2, Low: 1e-300, High: 2e-300}, {Bins: 2, Low: 1e15, High: 1e15 + 1}} {
		h := fill(t, []ops.Axis{a}, []float64{a.Low, a.High}, nil, nil)
		for _, f := range plot.Formats() {
			if _, err := plot.Encode(f, h, plot.Labels{X: "x"}); err != nil && !errors.Is(err, colstore.ErrValue) {
				t.Errorf("%v as %s: %v", a, f, err)
			}
		}
		if text := plot.Text(h, plot.Labels{X: "x"}, 80); !strings.Contains(text, "2 rows") {
			t.Errorf("%v: %s", a, text)
		}
	}
}
