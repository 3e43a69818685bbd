package feather_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

// shown prints a batch: "a <i4: 1 2; b |S2: x y".
func shown(b *colstore.Batch) string {
	parts := make([]string, b.Schema().Len())
	for i, f := range b.Schema().All() {
		part := []byte(f.Name + " " + f.Type.String() + ":")
		for row := range b.Rows() {
			part = text.AppendPlain(append(part, ' '), b.At(i), row)
		}
		parts[i] = string(part)
	}
	return strings.Join(parts, "; ")
}

// What other writers' defaults leave out: see testdata/make.py.
func TestLayouts(t *testing.T) {
	fill := format.Nulls{Mode: format.NullFill}
	mask := format.Nulls{Mode: format.NullMask}
	tests := []struct {
		file    string
		columns []string
		nulls   format.Nulls
		want    string
	}{
		{"replaced.arrows", nil, fill, "d <U3: a bb a d ccc "},
		{
			"grown.arrow", nil, fill,
			"i <i2: 8 7 0 8 9 7 0 9; f <f8: nan 1.5 nan nan 2.5 1.5 nan 2.5; s <U2:  x   yz x  yz; " +
				"b |b1: True False False True False False False False; v <U24: longer than twelve bytes short  longer than twelve bytes  short  ",
		},
		{"grown.arrow", []string{"b_valid"}, mask, ""},
		{
			"grown.arrow",
			[]string{"b"},
			mask,
			"b |b1: True False False True False False False False; b_valid |b1: True True False True False True False False",
		},
		{
			"legacy.arrow", nil,
			format.Nulls{Values: map[string]string{"a": "-1", "s": "none"}},
			"a <i4: 1 2 -1; s <U4: x none é",
		},
		{"nested.arrow", []string{"x", "v", "n"}, fill, "x <f8: 1.5 2.5 3.5; v <U33: a view that is longer than twelve  short; n <f8: nan nan nan"},
		{"nested_lz4.arrow", []string{"x", "v"}, mask, "x <f8: 1.5 2.5 3.5; v <U33: a view that is longer than twelve  short; v_valid |b1: True False True"},
	}
	for _, test := range tests {
		for batch := range 4 {
			got, err := readTable("testdata/"+test.file, reading{columns: test.columns, nulls: test.nulls, scan: colstore.Scan{BatchRows: batch}})
			if test.want == "" {
				if err == nil {
					t.Errorf("%s: columns %v are there", test.file, test.columns)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", test.file, err)
				continue
			}
			if shown(got) != test.want {
				t.Errorf("%s, batches of %d:\n%s, want\n%s", test.file, batch, shown(got), test.want)
			}
		}
	}
}

// Nested columns are errors alone.
func TestNested(t *testing.T) {
	f, err := openFile("testdata/nested.arrow", format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range f.Names() {
		_, err := f.Source(t.Context(), format.Projection{Columns: []string{n}})
		isFlat := n == "v" || n == "x" || n == "n"
		if (err == nil) != isFlat {
			t.Errorf("column %s: %v", n, err)
		}
	}
}

// Slices of longer arrays, whose rows begin anywhere in a bitmap.
func TestSliced(t *testing.T) {
	want := "a <i4:"
	texts := "; s <U10:"
	for _, part := range [][2]int{{3, 43}, {41, 42}, {50, 100}} {
		for i := part[0]; i < part[1]; i++ {
			if v := fmt.Sprint(" ", i); i%7 == 3 {
				want += " -1"
			} else {
				want += v
			}
			texts += " "
			if i%5 == 2 {
				texts += "-"
			} else {
				texts += strings.Repeat("v", i%11)
			}
		}
	}
	nulls := format.Nulls{Values: map[string]string{"a": "-1", "s": "-"}}
	for _, batch := range []int{0, 1, 7, 8, 9, 64} {
		got, err := readTable("testdata/sliced.arrow", reading{nulls: nulls, scan: colstore.Scan{BatchRows: batch}})
		if err != nil {
			t.Fatal(err)
		}
		if shown(got) != want+texts {
			t.Errorf("batches of %d:\n%s, want\n%s", batch, shown(got), want+texts)
		}
	}
}

func TestMixedBody(t *testing.T) {
	b, err := readTable("testdata/mixed.arrow", reading{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := colstore.Values[int64](b.At(0))
	r, _ := colstore.Values[uint8](b.At(1))
	for i := range 300 {
		if a[i] != int64(i) || r[i] != uint8(i*7919%251) {
			t.Fatalf("row %d: %d, %d", i, a[i], r[i])
		}
	}
}

// Dtypes can be declared where text has no width of its own; nulls follow the policy.
func TestPolicies(t *testing.T) {
	const file = "testdata/legacy.arrow"
	tests := []struct {
		r    reading
		want string
	}{
		{reading{}, `read testdata/legacy.arrow: column "a": row 2: null value`},
		{reading{columns: []string{"s"}, types: map[string]colstore.DType{"s": colstore.TextOf(5)}, nulls: format.Nulls{Mode: format.NullFill}}, "s <U5: x  é"},
		{reading{columns: []string{"a"}, types: map[string]colstore.DType{"a": colstore.Float64}}, "it holds int32, which is not read as float64"},
		{reading{columns: []string{"q"}}, "no such column"},
		{reading{columns: []string{"a", "a"}, nulls: format.Nulls{Mode: format.NullFill}}, "duplicate column"},
		{reading{columns: []string{"a"}, nulls: format.Nulls{Values: map[string]string{"a": "x"}}}, "the value for nulls"},
		{reading{scan: colstore.Scan{Rows: colstore.Range{Begin: 1, End: 4}}, nulls: format.Nulls{Mode: format.NullFill}}, "rows 1 to 4 of 3"},
		{reading{types: map[string]colstore.DType{"s": colstore.TextOf(0)}}, "give a dtype with a width"},
	}
	for _, test := range tests {
		got, err := readTable(file, test.r)
		said := fmt.Sprint(err)
		if err == nil {
			said = shown(got)
		}
		if !strings.Contains(said, test.want) {
			t.Errorf("%s\nwant %s", said, test.want)
		}
	}
}

// A mask alone reads no values of its column.
func TestMaskAlone(t *testing.T) {
	f, err := openFile("testdata/legacy.arrow", format.Nulls{Mode: format.NullMask})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"s_valid", "a_valid"}, BatchRows: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		said += shown(b) + "|"
	}
	if said != "s_valid |b1: True False; a_valid |b1: True True|s_valid |b1: True; a_valid |b1: False|" {
		t.Error(said)
	}
}

// Files may differ in what was found in their values: widths, and columns without any.
func TestFreedom(t *testing.T) {
	f, err := openFile("testdata/nested.arrow", format.Nulls{Mode: format.NullFill})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{Columns: []string{"n", "v", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]format.Freedom{"n": format.Anything, "v": format.Wider, "x": format.Fixed} {
		if got := src.(format.Flexible).Freedom(column); got != want {
			t.Errorf("column %s: %v, want %v", column, got, want)
		}
	}
}
