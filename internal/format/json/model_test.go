package json_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// model reads a list of objects, or an object a line, the plain way: with encoding/json, values in maps, and rule C42 of
// the conversion rules by numbers of any size. It is what the reader is compared with. The last key of two counts.
func model(text string) (names []string, columns map[string][]any, rows int, ok bool) {
	d := stdjson.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	columns = map[string][]any{}
	list := strings.HasPrefix(strings.TrimSpace(text), "[")
	if list {
		if _, err := d.Token(); err != nil {
			return nil, nil, 0, false
		}
	}
	for !list || d.More() {
		var raw stdjson.RawMessage
		if err := d.Decode(&raw); err != nil {
			if !list && errors.Is(err, io.EOF) {
				break
			}
			return nil, nil, 0, false
		}
		keys, values, err := members(raw)
		if err != nil {
			return nil, nil, 0, false
		}
		for i, k := range keys {
			if _, there := columns[k]; !there {
				names = append(names, k)
				columns[k] = []any{}
			}
			c := columns[k]
			for len(c) <= rows {
				c = append(c, nil)
			}
			c[rows] = values[i]
			columns[k] = c
		}
		rows++
	}
	for k, c := range columns {
		for len(c) < rows {
			c = append(c, nil)
		}
		columns[k] = c
	}
	return names, columns, rows, true
}

// members returns the members of an object in their order.
func members(raw []byte) (keys []string, values []any, err error) {
	d := stdjson.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != stdjson.Delim('{') {
		return nil, nil, errors.New("no object")
	}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, k.(string)), append(values, v)
	}
	return keys, values, nil
}

// want returns a column as dtype and values in plain text, or an empty dtype where it is refused.
func want(values []any) (dtype string, cells []string) {
	var null, bools, ints, floats, text, other, inexact bool
	least, greatest := new(big.Int), new(big.Int)
	width := 1
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			null = true
		case bool:
			bools = true
		case string:
			text = true
			width = max(width, utf8.RuneCountInString(v))
		case stdjson.Number:
			n, whole := new(big.Int).SetString(v.String(), 10)
			if !whole {
				floats = true
				continue
			}
			ints = true
			if n.Cmp(least) < 0 {
				least = n
			}
			if n.Cmp(greatest) > 0 {
				greatest = n
			}
			inexact = inexact || n.CmpAbs(big.NewInt(1<<53)) > 0
		default:
			other = true
		}
	}
	switch {
	case other, text && (bools || ints || floats), bools && (ints || floats), null && (text || bools):
		return "", nil
	case text:
		dtype = fmt.Sprintf("<U%d", width)
	case bools:
		dtype = "|b1"
	case !ints, floats:
		dtype = "<f8"
	case null && inexact:
		return "", nil
	case null:
		dtype = "<f8"
	case least.IsInt64() && greatest.IsInt64():
		dtype = "<i8"
	case least.Sign() >= 0 && greatest.IsUint64():
		dtype = "<u8"
	default:
		return "", nil
	}
	for _, v := range values {
		cell := fmt.Sprint(v)
		switch v := v.(type) {
		case nil:
			cell = "nan"
		case bool:
			cell = map[bool]string{true: "True", false: "False"}[v]
		case string:
			cell = strings.TrimRight(v, "\x00")
		case stdjson.Number:
			if dtype == "<f8" {
				f, _ := strconv.ParseFloat(v.String(), 64)
				cell = strconv.FormatUint(math.Float64bits(f), 16)
			} else if v == "-0" {
				cell = "0"
			}
		}
		if dtype == "<f8" && v == nil {
			cell = "7ff8000000000000"
		}
		cells = append(cells, cell)
	}
	return dtype, cells
}

// cellsOf returns the values of a column in the spelling of [want].
func cellsOf(c colstore.Column) []string {
	var out []string
	for i := range c.Rows() {
		cell := string(appendPlain(c, i))
		if c.Type() == colstore.Float64 {
			v, _ := colstore.Values[float64](c)
			cell = strconv.FormatUint(math.Float64bits(v[i]), 16)
		}
		out = append(out, cell)
	}
	return out
}

// failer is what there is of a test and of a property.
type failer interface {
	Context() context.Context
	Fatalf(format string, args ...any)
}

// compareModel reads a file and compares it with the model.
func compareModel(t failer, path, text string, how reading) {
	names, columns, rows, ok := model(text)
	f, err := how.open(t.Context(), path)
	if !ok || len(names) == 0 {
		if err == nil {
			f.Close()
			t.Fatalf("%q is read, with columns %q", text, f.Names())
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	defer f.Close()
	if got := f.Names(); strings.Join(got, "\x00") != strings.Join(names, "\x00") {
		t.Fatalf("%q: columns %q, want %q", text, got, names)
	}
	for _, n := range names {
		dtype, cells := want(columns[n])
		src, err := f.Source(t.Context(), format.Projection{Columns: []string{n}})
		if dtype == "" {
			if err == nil { // it has nulls, which a scan refuses
				_, err = collect(src, how.scan)
				src.Close()
			}
			if e, isOurs := errors.AsType[*colstore.Error](err); !isOurs || e.Column != n || e.Path != path {
				t.Fatalf("%q: column %q is to be refused: %v", text, n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b, err := collect(src, how.scan)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := cellsOf(b.At(0))
		if src.Schema().Field(0).Type.String() != dtype || src.Rows() != int64(rows) || strings.Join(got, "\x00") != strings.Join(cells, "\x00") {
			t.Fatalf("%q: column %q is %s %q, want %s %q", text, n, src.Schema(), got, dtype, cells)
		}
		src.Close()
	}
}

// Random documents are what the model says, whatever the sizes.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	blank := rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t\r\n "})
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{
			"null", "true", "false", "0", "-0", "7", "-12", "9007199254740992", "9007199254740993", "-9223372036854775808", "9223372036854775807",
			"9223372036854775808", "18446744073709551615", "18446744073709551616", "0.1", "-0.0", "1e3", "1E-7", "2.5e+10", "5e-324", "1e400", "123456789.123456789123",
			`""`, `"x"`, `"1"`, `"\u00e9\n"`, `"\ud83d\ude00"`, `"日本"`, `"a\u0000b"`, `"abcdefghijkl"`, `[]`, `{"a":[1,{}]}`, `[[1], "]"]`,
		}),
		rapid.Custom(func(t *rapid.T) string { return strconv.Itoa(rapid.Int().Draw(t, "int")) }),
		rapid.Custom(func(t *rapid.T) string {
			s, _ := stdjson.Marshal(rapid.String().Draw(t, "string"))
			return string(s)
		}),
		rapid.Custom(func(t *rapid.T) string {
			return strconv.FormatFloat(rapid.Float64().Draw(t, "float"), 'g', -1, 64)
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([][]string{{`"a"`}, {`"a"`, `"b"`, `"c"`}, {`"a\n"`, `"é"`, `"\u00e9x"`, `""`}}).Draw(t, "names")
		// A column is of one kind more often than not.
		kinds := make([]*rapid.Generator[string], len(names))
		for i := range kinds {
			kinds[i] = rapid.SampledFrom([]*rapid.Generator[string]{
				scalar, rapid.SampledFrom([]string{"true", "false"}), rapid.SampledFrom([]string{"1", "-2", "300", "null"}),
				rapid.SampledFrom([]string{"1.5", "2e300", "7", "null", "-0"}), rapid.SampledFrom([]string{`"x"`, `"yyy"`, `"\t"`, `"é"`}),
				rapid.SampledFrom([]string{"0", "18446744073709551615"}),
			}).Draw(t, "kind")
		}
		list := rapid.Bool().Draw(t, "list")
		var b strings.Builder
		b.WriteString(blank.Draw(t, "blank"))
		if list {
			b.WriteString("[")
		}
		for row := range rapid.IntRange(1, 12).Draw(t, "rows") {
			if row > 0 {
				b.WriteString(map[bool]string{true: ",", false: "\n"}[list])
			}
			b.WriteString(blank.Draw(t, "blank") + "{" + blank.Draw(t, "blank"))
			order := make([]int, 0, len(names)+1)
			for i := range names {
				order = append(order, i)
			}
			if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
				order = rapid.SliceOfN(rapid.IntRange(0, len(names)-1), 0, len(names)+1).Draw(t, "order")
			}
			for i, c := range order {
				if i > 0 {
					b.WriteString("," + blank.Draw(t, "blank"))
				}
				b.WriteString(names[c] + blank.Draw(t, "blank") + ":" + blank.Draw(t, "blank") + kinds[c].Draw(t, "value") + blank.Draw(t, "blank"))
			}
			b.WriteString("}" + blank.Draw(t, "blank"))
		}
		if list {
			b.WriteString("]")
		}
		path := filepath.Join(dir, "f.json")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		how := reading{lines: !list}
		how.text = rapid.SampledFrom([]int{0, 1, 16}).Draw(t, "text")
		how.cells = rapid.IntRange(1, 20).Draw(t, "cells")
		how.scan.BatchRows = rapid.IntRange(0, 5).Draw(t, "batch")
		compareModel(t, path, b.String(), how)
	})
}
