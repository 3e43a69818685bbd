package columnar_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/source/format"
)

var words = columnar.Words{
	Op: "read", Path: "f", Table: "file", Columns: "--columns", Types: "--dtype",
	Null: func(column string, row colstore.Pos) error { return format.NullFound("f", column, row) },
}

// texts returns an array of text, "-" for a null, whose offsets have some bytes.
func texts(size int, values ...string) *columnar.Array {
	valid, ends, data := make([]byte, (len(values)+7)/8), []byte{}, []byte{}
	put := func() {
		if size == 4 {
			ends = binary.LittleEndian.AppendUint32(ends, uint32(len(data)))
		} else {
			ends = binary.LittleEndian.AppendUint64(ends, uint64(len(data)))
		}
	}
	put()
	for i, v := range values {
		if v != "-" {
			valid[i/8] |= 1 << (i % 8)
			data = append(data, v...)
		}
		put()
	}
	return &columnar.Array{Rows: len(values), Buffers: [][]byte{valid, ends, data}}
}

// read returns the rows of an array under a policy, as text.
func read(t columnar.Type, a *columnar.Array, o *columnar.Options) (string, error) {
	c := columnar.NewColumn(0, "c", t, true, "")
	p, err := columnar.NewPlan([]columnar.Column{c}, o, words, func(c *columnar.Column, width bool) (columnar.Facts, error) {
		v, err := columnar.NewValues(c, a, a.Rows)
		if err != nil {
			return columnar.Facts{}, err
		}
		f := columnar.Facts{Rows: int64(a.Rows), Nulls: int64(v.Nulls(0, a.Rows))}
		if width {
			f.Width, err = v.Width(c, 0)
		}
		return f, err
	})
	if err != nil {
		return "", err
	}
	in := &p.Inputs[0]
	v, err := columnar.NewValues(&in.Column, a, a.Rows)
	if err != nil {
		return "", words.Failed("c", 0, err)
	}
	dst := make([]byte, a.Rows*in.DType().Size())
	if err := v.Put(dst, in, 0, a.Rows); err != nil {
		return "", words.Failed("c", 0, err)
	}
	col, err := colstore.NewColumn(in.DType(), a.Rows, dst)
	if err != nil {
		return "", err
	}
	out := p.Schema.String() + ":"
	for i := range a.Rows {
		out += fmt.Sprintf(" %s", col.AppendString(nil, i))
	}
	return out, nil
}

func TestPolicies(t *testing.T) {
	small, large := columnar.Type{Kind: columnar.Text, Name: "utf8"}, columnar.Type{Kind: columnar.LargeText, Name: "large_utf8"}
	tests := []struct {
		t    columnar.Type
		a    *columnar.Array
		o    columnar.Options
		want string
	}{
		{small, texts(4, "a", "éé", ""), columnar.Options{}, "c <U2: a éé "},
		{large, texts(8, "a", "-", "b"), columnar.Options{}, `read f: column "c": row 1: null value`},
		{large, texts(8, "a", "-", "b"), columnar.Options{Nulls: format.Nulls{Values: map[string]string{"c": "none"}}}, "c <U4: a none b"},
		{small, texts(4, "a", "-"), columnar.Options{Nulls: format.Nulls{Mode: format.NullMask}}, "c <U1, c_valid |b1: a "},
		{small, texts(4, "abc"), columnar.Options{Types: map[string]colstore.DType{"c": colstore.TextOf(2)}}, "does not fit"},
		{small, texts(4, "abc"), columnar.Options{Types: map[string]colstore.DType{"c": colstore.Int8}}, "which is not read as int8"},
		{small, texts(4, "\xff"), columnar.Options{}, "row 0: bad value"},
		{columnar.Type{Kind: columnar.Other, Name: "time32[s]"}, texts(4, "a"), columnar.Options{}, "cast it to a number, text or a timestamp first or leave it out with --columns"},
	}
	for _, test := range tests {
		got, err := read(test.t, test.a, &test.o)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// Joined dictionaries are the values one after the other.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"", "x", "some text", "-"}), 0, 12), 1, 4).Draw(t, "parts")
		typ, size := columnar.Type{Kind: columnar.Text}, 4
		if rapid.Bool().Draw(t, "large") {
			typ, size = columnar.Type{Kind: columnar.LargeText}, 8
		}
		var arrays []*columnar.Array
		var all []string
		for _, p := range parts {
			arrays = append(arrays, texts(size, p...))
			all = append(all, p...)
		}
		joined, err := columnar.Join(typ, arrays)
		if err != nil {
			t.Fatal(err)
		}
		o := &columnar.Options{Nulls: format.Nulls{Values: map[string]string{"c": "none"}}}
		got, err := read(typ, joined, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := read(typ, texts(size, all...), o)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// What is encoded is read as what it was, in one piece or in several.
func TestTexts(t *testing.T) {
	values := []string{"a", "", "é日", "abc"}
	points := make([]byte, len(values)*3*4)
	for i, v := range values {
		for k, r := range []rune(v) {
			binary.LittleEndian.PutUint32(points[(i*3+k)*4:], uint32(r))
		}
	}
	c, err := colstore.NewColumn(colstore.TextOf(3), len(values), points)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := columnar.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	var pieces columnar.Texts
	pieces.Reset()
	data := ""
	for i := range values {
		pieces.Drop()
		if err := pieces.Append(c.Slice(i, i+1, 1)); err != nil {
			t.Fatal(err)
		}
		data += string(pieces.Data())
	}
	if string(pieces.Offsets()) != string(whole.Buffers[1]) || data != string(whole.Buffers[2]) || data != strings.Join(values, "") {
		t.Errorf("%q at %v, want %q at %v", data, pieces.Offsets(), whole.Buffers[2], whole.Buffers[1])
	}
	bad, err := colstore.NewColumn(colstore.TextOf(1), 2, []byte{'a', 0, 0, 0, 0, 0, 0x11, 0})
	if err != nil {
		t.Fatal(err)
	}
	_, err = columnar.Encode(bad)
	if b, ok := errors.AsType[*columnar.BadValue](err); !ok || b.At != 1 || !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no character: %v", err)
	}
}
