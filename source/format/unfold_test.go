package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
)

func TestParseJagged(t *testing.T) {
	for text, want := range map[string]Jagged{
		"error": {Mode: JaggedError}, "skip": {Mode: JaggedSkip}, "explode": {Mode: JaggedExplode},
		"pad=1": {Mode: JaggedPad, Width: 1}, "pad=4096": {Mode: JaggedPad, Width: 4096},
	} {
		if got, err := ParseJagged(text); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "pad", "pad=", "pad=0", "pad=-1", "pad=4097", "pad=x", "Explode", "explode=2"} {
		if _, err := ParseJagged(text); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// events are columns of every kind.
var events = []Field{
	{Name: "id"},
	{Name: "x", Kind: FieldList, Leaf: 1},
	{Name: "v", Kind: FieldArray, Length: 2, Leaf: 2},
	{Name: "c", Kind: FieldStruct, Parts: []Field{
		{Name: "a", Leaf: 3},
		{Name: "b", Kind: FieldStruct, Parts: []Field{{Name: "l", Kind: FieldList, Leaf: 4}, {Name: "m", Kind: FieldOther, Leaf: 5}}},
	}},
	{Name: "m", Kind: FieldOther, Leaf: 6},
	{Name: "wide", Kind: FieldArray, Length: 1 << 31, Leaf: 7},
}

func TestUnfold(t *testing.T) {
	tests := []struct {
		j       Jagged
		longest map[string]int64
		want    string
		skipped string
	}{
		{Jagged{}, nil, "id x v c m wide", ""},
		{Jagged{Mode: JaggedError}, nil, "id x v c m wide", ""},
		{Jagged{Mode: JaggedSkip}, nil, "id", "x v c m wide"},
		{Jagged{Mode: JaggedExplode}, nil, "id x v_0 v_1 c.a c.b.l c.b.m m wide", ""},
		{Jagged{Mode: JaggedExplode}, map[string]int64{"x": 3, "c.b.l": 0}, "id x_0 x_1 x_2 x_n v_0 v_1 c.a c.b.l_n c.b.m m wide", ""},
		{Jagged{Mode: JaggedPad, Width: 1}, nil, "id x_0 x_n v_0 v_1 c.a c.b.l_0 c.b.l_n c.b.m m wide", ""},
	}
	for _, c := range tests {
		u, err := Unfold(events, c.j, c.longest)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(u.Names(), " "); got != c.want || strings.Join(u.Skipped, " ") != c.skipped {
			t.Errorf("%v: %s, skipped %s\nwant %s", c.j, got, u.Skipped, c.want)
		}
	}
	u, err := Unfold(events, Jagged{Mode: JaggedPad, Width: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "x_0 x_1 x_n", "c": "c.a c.b.l_0 c.b.l_1 c.b.l_n c.b.m", "c.b": "c.b.l_0 c.b.l_1 c.b.l_n c.b.m", "id": "", "m": "", "x_0": ""} {
		if got := strings.Join(u.Parts(name), " "); got != want {
			t.Errorf("parts of %s: %s, want %s", name, got, want)
		}
	}
	for name, leaf := range map[string]int{"x_1": 1, "x_n": 1, "v_0": 2, "c.b.l_n": 4, "m": 6} {
		if c, err := u.Find(name); err != nil || c.Field.Leaf != leaf || c.Name != name {
			t.Errorf("%s: %+v %v", name, c, err)
		}
	}
	if _, err := u.Find("x_2"); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("a place that there is not: %v", err)
	}
}

func TestUnfoldErrors(t *testing.T) {
	explode, pad := Jagged{Mode: JaggedExplode}, Jagged{Mode: JaggedPad, Width: MaxJagged}
	if _, err := Unfold(events, explode, map[string]int64{"x": MaxJagged + 1}); !errors.Is(err, colstore.ErrValue) || !strings.Contains(err.Error(), `column "x"`) {
		t.Errorf("a long list: %v", err)
	}
	many := make([]Field, 100)
	for i := range many {
		many[i] = Field{Name: fmt.Sprint("l", i), Kind: FieldList}
	}
	if _, err := Unfold(many, pad, nil); !errors.Is(err, colstore.ErrValue) || !strings.Contains(err.Error(), "pad=N") {
		t.Errorf("many lists: %v", err)
	}
	for want, fields := range map[string][]Field{
		`the list "x" and column "x_0"`:                  {{Name: "x", Kind: FieldList}, {Name: "x_0"}},
		`the array "x" and column "x_0"`:                 {{Name: "x", Kind: FieldArray, Length: 1}, {Name: "x_0"}},
		`the part "x.a" of a structure and column "x.a"`: {{Name: "x", Kind: FieldStruct, Parts: []Field{{Name: "a"}}}, {Name: "x.a"}},
		"the file has 2 columns of this name":            {{Name: "x_0"}, {Name: "x_0"}},
	} {
		u, err := Unfold(fields, explode, map[string]int64{"x": 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := u.Find(u.Names()[0]); !errors.Is(err, colstore.ErrDuplicate) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		columns []string
		want    string
	}{{nil, "c.b.l x"}, {[]string{"id"}, ""}, {[]string{"x_7"}, "x"}, {[]string{"x"}, "x"}, {[]string{"c"}, "c.b.l"}, {[]string{"c.b.l_n"}, "c.b.l"}, {[]string{"xy"}, ""}} {
		var got []string
		for name := range Lists(events, c.columns) {
			got = append(got, name)
		}
		slices.Sort(got)
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: %s, want %s", c.columns, g, c.want)
		}
	}
}

// Scatter does what its comment says for every width.
func TestScatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 3, 4, 8, 12}).Draw(t, "size")
		const width, height = 3, 5
		cells := make([]int, width)
		got, want := make([][]byte, width), make([][]byte, width)
		wider := rapid.Bool().Draw(t, "wider")
		for i := range cells {
			cells[i] = size
			if wider {
				cells[i] += rapid.IntRange(0, 4).Draw(t, "more")
			}
			if rapid.IntRange(0, 3).Draw(t, "asked") > 0 {
				got[i] = bytes.Repeat([]byte{0xaa}, height*cells[i])
				want[i] = bytes.Clone(got[i])
			}
		}
		n := rapid.IntRange(0, 10).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Byte(), n*size, n*size).Draw(t, "values")
		rows := rapid.SliceOfN(rapid.Int32Range(0, height-1), n, n).Draw(t, "rows")
		places := rapid.SliceOfN(rapid.Int32Range(0, width-1), n, n+1).Draw(t, "places")
		for j := range rows {
			if c := want[places[j]]; c != nil {
				cell := c[int(rows[j])*cells[places[j]]:][:cells[places[j]]]
				clear(cell)
				copy(cell, values[j*size:(j+1)*size])
			}
		}
		Scatter(got, cells, values, size, rows, places)
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("column %d is %x, want %x", i, got[i], want[i])
			}
		}
	})
}
