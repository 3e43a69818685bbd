package source_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// tens is n numbers in groups of ten, each of which a skipper is asked about by bounds of the column x.
type tens struct {
	n       int
	unknown bool // it does not tell how many rows it has
}

func (s tens) Schema() *colstore.Schema {
	return colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64})
}

func (s tens) Close() error { return nil }

func (s tens) Rows() int64 {
	if s.unknown {
		return -1
	}
	return int64(s.n)
}

func (s tens) Scan(_ context.Context, o colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if o.Rows.End == 0 {
			o.Rows.End = int64(s.n)
		}
		for at := int64(0); at < int64(s.n); at += 10 {
			rows := colstore.Range{Begin: max(at, o.Rows.Begin), End: min(at+10, o.Rows.End)}
			if rows.Begin >= rows.End || o.Skip != nil && o.Skip.Skip(rows, func(name string) (colstore.Bounds, bool) {
				return colstore.Bounds{Lo: colstore.ScalarOf(at).Cell(), Hi: colstore.ScalarOf(at + 9).Cell()}, name == "x"
			}) {
				continue
			}
			var x []int64
			for v := rows.Begin; v < rows.End; v++ {
				x = append(x, v)
			}
			b, err := colstore.NewBatch(s.Schema(), colstore.Wrap(x))
			if err != nil {
				yield(nil, err)
				return
			}
			if !b.WithBegin(rows.Begin).Lend(yield) {
				return
			}
		}
	}
}

// A marker skips groups by their first row, and writes down what it is asked.
type marker struct {
	skip  []int64
	asked []string
}

func (m *marker) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	_, ok := bounds("x")
	m.asked = append(m.asked, fmt.Sprintf("%d-%d %v", rows.Begin, rows.End, ok))
	return slices.Contains(m.skip, rows.Begin)
}

// A skipper is asked with the rows of the whole, of every part that knows how many it has, and what it leaves out moves no
// row.
func TestSkipThroughSources(t *testing.T) {
	concat := func(parts ...tens) colstore.Source {
		var list []source.Part
		for i, p := range parts {
			list = append(list, source.Part{Name: fmt.Sprint(i), Source: p})
		}
		src, err := source.Concat(source.Strict, list...)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	replaced := make([]int64, 20)
	b, err := colstore.NewBatch(tens{}.Schema(), colstore.Wrap(replaced))
	if err != nil {
		t.Fatal(err)
	}
	beside, err := source.Beside(tens{n: 20}, b)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		src   colstore.Source
		scan  colstore.Scan
		skip  []int64
		asked []string
		rows  []string // of the batches
	}{
		{
			"parts", concat(tens{n: 20}, tens{n: 15}),
			colstore.Scan{},
			[]int64{10, 30},
			[]string{"0-10 true", "10-20 true", "20-30 true", "30-35 true"},
			[]string{"0-10", "20-30"},
		},
		{
			"a range of parts", concat(tens{n: 20}, tens{n: 15}),
			colstore.Scan{Rows: colstore.Range{Begin: 15, End: 32}},
			[]int64{20},
			[]string{"15-20 true", "20-30 true", "30-32 true"},
			[]string{"15-20", "30-32"},
		},
		{
			"a part of unknown length", concat(tens{n: 20}, tens{n: 12, unknown: true}, tens{n: 10}),
			colstore.Scan{},
			[]int64{10, 20, 32},
			[]string{"0-10 true", "10-20 true", "32-42 true"},
			[]string{"0-10", "20-30", "30-32"},
		},
		{
			"the rows of a view", source.ViewOf(tens{n: 40}).Pick(source.Slice(15, 35)),
			colstore.Scan{},
			[]int64{5},
			[]string{"0-5 true", "5-15 true", "15-20 true"},
			[]string{"0-5", "15-20"},
		},
		{
			"columns beside it", beside,
			colstore.Scan{},
			[]int64{10},
			[]string{"0-10 false", "10-20 false"},
			[]string{"0-10"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &marker{skip: test.skip}
			test.scan.Skip = m
			var rows []string
			for b, err := range test.src.Scan(t.Context(), test.scan) {
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, fmt.Sprintf("%d-%d", b.Begin(), b.Begin()+int64(b.Rows())))
			}
			if diff := cmp.Diff(test.asked, m.asked); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.rows, rows); diff != "" {
				t.Error(diff)
			}
		})
	}
}
