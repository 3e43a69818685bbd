package json_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// What lists and objects become, whatever the borders of windows and blocks.
func TestJagged(t *testing.T) {
	fill := format.Nulls{Mode: format.NullFill}
	mask := format.Nulls{Mode: format.NullMask}
	value := func(column, v string) format.Nulls { return format.Nulls{Values: map[string]string{column: v}} }
	tests := []struct {
		name string
		text string
		how  reading
		want string
	}{
		{"lists", `[{"a":[1,2],"b":1},{"a":[],"b":2},{"b":3,"a":[3]}]`, reading{jagged: "explode"}, "a_0 <i8: 1 0 3\na_1 <i8: 2 0 0\na_n <i8: 2 0 1\nb <i8: 1 2 3\n"},
		{"padded", `[{"a":[1,2]},{"a":[]},{"a":[3]}]`, reading{jagged: "pad=3"}, "a_0 <i8: 1 0 3\na_1 <i8: 2 0 0\na_2 <i8: 0 0 0\na_n <i8: 2 0 1\n"},
		{"clipped", `[{"a":[1,"x",[2]]},{"a":[]}]`, reading{jagged: "pad=1"}, "a_0 <i8: 1 0\na_n <i8: 3 0\n"},
		{"floats", `[{"a":[1,2.5]},{"a":[1]}]`, reading{jagged: "explode"}, "a_0 <f8: 1.0 1.0\na_1 <f8: 2.5 nan\na_n <i8: 2 1\n"},
		{"text", `[{"a":["é","\u0041\n"]},{"a":["xyz"]}]`, reading{jagged: "explode"}, "a_0 <U3: é xyz\na_1 <U3: A\n \na_n <i8: 2 1\n"},
		{"bools", `[{"a":[true]},{"a":[false,true]}]`, reading{jagged: "explode"}, "a_0 |b1: True False\na_1 |b1: False True\na_n <i8: 1 2\n"},
		{"empty lists", `[{"a":[]},{"a":[]}]`, reading{jagged: "explode"}, "a_n <i8: 0 0\n"},
		{"objects", `[{"c":{"a":1,"b":{"x":"y"}}},{"c":{"b":{"x":"zz"},"a":2}}]`, reading{jagged: "explode"}, "c.a <i8: 1 2\nc.b.x <U2: y zz\n"},
		{"lists in objects", `[{"c":{"l":[1]}},{"c":{"l":[2,3]}}]`, reading{jagged: "explode"}, "c.l_0 <i8: 1 2\nc.l_1 <i8: 0 3\nc.l_n <i8: 1 2\n"},
		{"a part that is missing", `[{"c":{"a":1}},{"c":{}},{},{"c":null}]`, reading{jagged: "explode"}, "c.a <f8: 1.0 nan nan nan\n"},
		{"nulls", `[{"a":["x",null]},{"a":null},{}]`, reading{jagged: "explode", nulls: fill}, "a_0 <U1: x  \na_1 <U1:   \na_n <i8: 2 0 0\n"},
		{
			"nulls in a mask", `[{"a":["x",null]},{"a":null},{"a":["y"]}]`,
			reading{jagged: "explode", nulls: mask},
			"a_0 <U1: x  y\na_0_valid |b1: True False True\na_1 <U1:   \na_1_valid |b1: False False True\na_n <i8: 2 0 1\na_n_valid |b1: True False True\n",
		},
		{"a value for nulls", `[{"a":["x",null]},{"a":["y"]}]`, reading{jagged: "explode", nulls: value("a_1", "none"), columns: []string{"a_1", "a_n"}}, "a_1 <U4: none \na_n <i8: 2 1\n"},
		{"numbers and null", `[{"a":[1,null]},{"a":[2]}]`, reading{jagged: "explode"}, "a_0 <f8: 1.0 2.0\na_1 <f8: nan nan\na_n <i8: 2 1\n"},
		{"the later of two values counts", `[{"a":[1,2,3],"a":[4]},{"c":5,"a":[6],"c":{"p":1,"p":[1],"p":2}},{"a":[7],"c":{"p":1}}]`, reading{jagged: "explode"}, "a_0 <i8: 4 6 7\na_n <i8: 1 1 1\nc.p <f8: nan 2.0 1.0\n"},
		{"a declared dtype", `[{"a":["1","2"]}]`, reading{jagged: "explode", types: map[string]colstore.DType{"a_0": colstore.TextOf(4)}}, "a_0 <U4: 1\na_1 <U1: 2\na_n <i8: 2\n"},
		{"some columns", `[{"a":[1,2],"b":[3]},{"a":[],"b":[4]}]`, reading{jagged: "explode", columns: []string{"b_n", "a_1"}}, "b_n <i8: 1 1\na_1 <i8: 2 0\n"},
		{"by columns", `{"a":[[1,2],[3]],"c":[{"p":true},{"p":false}]}`, reading{jagged: "explode"}, "a_0 <i8: 1 3\na_1 <i8: 2 0\na_n <i8: 2 1\nc.p |b1: True False\n"},
		{"split", `{"columns":["a","b"],"data":[[[1],2],[[3,4],5]]}`, reading{jagged: "explode"}, "a_0 <i8: 1 3\na_1 <i8: 0 4\na_n <i8: 1 2\nb <i8: 2 5\n"},
		{"values", `[[[1],2],[[3,4],5]]`, reading{jagged: "explode"}, "0_0 <i8: 1 3\n0_1 <i8: 0 4\n0_n <i8: 1 2\n1 <i8: 2 5\n"},
		{"a table", `{"schema":{"fields":[{"name":"a"}]},"data":[{"a":[1]}]}`, reading{jagged: "explode"}, "a_0 <i8: 1\na_n <i8: 1\n"},
		{"lines", "{\"a\":[ 1 , 2 ]}\n{\"a\":[]}", reading{jagged: "explode", lines: true}, "a_0 <i8: 1 0\na_1 <i8: 2 0\na_n <i8: 2 0\n"},
		{"a name with escapes", `[{"c":{"\u00e9\n":1}},{"c":{"é\n":2}}]`, reading{jagged: "explode"}, "c.é\n <i8: 1 2\n"},
		{"skipped", `[{"a":[1],"b":1,"c":{"x":1}},{"a":2,"b":2}]`, reading{jagged: "skip"}, "b <i8: 1 2\n"},
	}
	for _, c := range tests {
		for _, text := range []int{0, 7, 64} {
			for _, rows := range []int{0, 1, 2} {
				c.how.text, c.how.cells, c.how.scan = text, 2, colstore.Scan{BatchRows: rows, Threads: 1 + rows}
				got, err := c.how.readText(t, c.text)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					break
				}
				if table(got) != c.want {
					t.Errorf("%s:\n%swant\n%s", c.name, table(got), c.want)
					break
				}
			}
		}
	}
}

// What no columns are made of is refused by name, where it is.
func TestJaggedErrors(t *testing.T) {
	deep := strings.Repeat(`{"x":`, 20) + "1" + strings.Repeat("}", 20)
	tests := []struct {
		name, text, mode string
		columns          []string
		is               error
		want             string
	}{
		{"the default", `[{"a":[1]}]`, "", nil, colstore.ErrType, "--jagged skip, explode or pad=N"},
		{"a list in a list", `[{"a":[1]},{"a":[[1]]}]`, "explode", nil, colstore.ErrType, `column "a": row 1: type error: byte 17: a list in a list`},
		{"an object in a list", `[{"a":[{"b":1}]}]`, "pad=2", nil, colstore.ErrType, "an object in a list"},
		{"a list beside numbers", `[{"a":1},{"a":[1]}]`, "explode", nil, colstore.ErrType, `row 1: type error: byte 14: the value is a list`},
		{"an object beside a list", `[{"a":{"b":1}},{"a":[1]}]`, "explode", nil, colstore.ErrType, "the value is an object"},
		{"empty objects", `[{"a":{}}]`, "explode", nil, colstore.ErrType, "no object has a member"},
		{"deep objects", `[{"a":` + deep + `}]`, "explode", nil, colstore.ErrType, "nested more than 16 deep"},
		{"text beside numbers", `[{"a":[1,"x"]}]`, "explode", nil, colstore.ErrType, `column "a_0": row 0: type error: byte 10`},
		{"a null", `[{"a":["x",null]}]`, "explode", nil, colstore.ErrNull, `column "a_1": row 0`},
		{"a null list", `[{"a":[0.5]},{"a":null}]`, "explode", nil, colstore.ErrNull, `column "a_n": row 1`},
		{"a clash", `[{"a":[1],"a_0":2}]`, "explode", nil, colstore.ErrDuplicate, `column "a_0": duplicate column: the list "a" and column "a_0"`},
		{"a clash of objects", `[{"c":{"a":1},"c.a":2}]`, "explode", nil, colstore.ErrDuplicate, `the part "c.a" of a structure and column "c.a"`},
		{"a place that there is not", `[{"a":[1]}]`, "explode", []string{"a_1"}, colstore.ErrNoColumn, `column "a_1"`},
		{"a long list", `[{"a":[` + strings.Repeat("1,", 5000) + `1]}]`, "explode", nil, colstore.ErrValue, "the longest list has 5001 values"},
	}
	for _, c := range tests {
		_, err := reading{jagged: c.mode, columns: c.columns}.readText(t, c.text)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %v, %q", c.name, err, c.is, c.want)
		}
	}
}

// Any lists and objects give the same columns for all borders of windows, blocks, batches and splits.
func TestJaggedBorders(t *testing.T) {
	path := put(t, "")
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"1", "-2.5", "null", "true", `"x"`, `"é\n"`, "[1]", `{"a":1}`})
		list := rapid.Custom(func(t *rapid.T) string {
			return "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "30"}), 0, 5).Draw(t, "values"), ", ") + "]"
		})
		object := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf(`{"p":%s, "q":%s}`, rapid.SampledFrom([]string{"1", "null", "0.5"}).Draw(t, "p"), list.Draw(t, "q"))
		})
		var rows []string
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			rows = append(rows, fmt.Sprintf(`{"l":%s,"o":%s,"v":%s}`, list.Draw(t, "l"), object.Draw(t, "o"), value.Draw(t, "v")))
		}
		if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		columns := []string{"l", "o"}
		mode := rapid.SampledFrom([]string{"explode", "pad=2"}).Draw(t, "mode")
		how := reading{lines: true, jagged: mode, nulls: format.Nulls{Mode: format.NullFill}}
		f, err := how.open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, n := range columns {
			asked = append(asked, f.(format.Nested).Parts(n)...)
		}
		f.Close()
		how.columns = asked
		want, err := how.read(path)
		if err != nil {
			t.Fatal(err)
		}
		how.text, how.cells = rapid.IntRange(3, 40).Draw(t, "text"), rapid.IntRange(1, 9).Draw(t, "cells")
		how.scan = colstore.Scan{BatchRows: rapid.IntRange(1, 5).Draw(t, "batch"), Threads: 2}
		got, err := how.read(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	})
}

// nestedTexts are files with lists and objects in all layouts.
var nestedTexts = []string{
	`[{"a":[1,2,3],"b":{"c":"x","d":[true]}},{"a":[],"b":{"c":"\u00e9","d":null}},{"b":{"e":{"f":[1.5]}},"a":[-7]}]`,
	"{\"a\":[\"x\",\"yy\"],\"b\":1}\n{\"a\":[\"\\n\"],\"b\":2}\n{\"b\":3}\n",
	`{"a":[[1],[2,3]],"b":[{"c":1},{"c":2}]}`,
	`{"columns":["a","b"],"data":[[[1,2],{"x":[1]}],[[],{"x":[]}]]}`,
	`{"r1":{"a":[1]},"r2":{"a":[2,2]}}`,
	`[[[1],{"p":0.5}],[[2,3],{"q":"z"}]]`,
}

// Damaged lists and objects are refused, or read as the others that they are.
func TestMutatedLists(t *testing.T) {
	for i, text := range nestedTexts {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		path := put(t, "")
		for range 150 {
			bad := []byte(text)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(bad))
				switch r.IntN(4) {
				case 0:
					bad[at] = byte(r.Uint32())
				case 1:
					bad[at] = "[]{}:,\"\\-0123eE.ntf \n\x00"[r.IntN(22)]
				case 2:
					bad = append(bad[:at], bad[at+1:]...)
				default:
					bad = append(bad[:at], append([]byte(nil), bad[r.IntN(at+1):]...)...)
				}
				if len(bad) == 0 {
					break
				}
			}
			rewrite(t, path, bad)
			for _, orient := range []string{"", "index"} {
				for _, mode := range []string{"explode", "pad=2", "skip"} {
					readAll(t, path, reading{orient: orient, jagged: mode, text: r.IntN(40), cells: 7, nulls: format.Nulls{Mode: format.NullFill}})
				}
			}
		}
	}
}

// FuzzLists reads any text whose lists and objects become columns.
func FuzzLists(f *testing.F) {
	for _, text := range nestedTexts {
		f.Add([]byte(text), uint8(0))
	}
	path := filepath.Join(f.TempDir(), "f.json")
	f.Fuzz(func(t *testing.T, data []byte, choice uint8) {
		rewrite(t, path, data)
		how := reading{text: int(choice / 16), cells: 5, jagged: []string{"explode", "pad=1"}[choice%2], nulls: format.Nulls{Mode: format.NullMode(choice / 2 % 3)}}
		readAll(t, path, *how.choose(orients[int(choice/8)%len(orients)]))
	})
}
