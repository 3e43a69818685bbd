package csv

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/source/format"
)

func testDialect(t testing.TB, options map[string]any) *dialect {
	o, err := format.CheckOptions("reading csv", Descriptor.Read.Options, options)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDialect(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tokens are what one of the two ways finds in a text.
type tokens struct {
	Rows, Next   int
	Full         bool
	Starts, Ends []uint32
	Cells        [][]string
}

func tokensBy(d *dialect, way func(*block, *dialect) bool, text string, columns int, s sizes) (tokens, bool) {
	b := newBlock(columns, s)
	// What is behind the text must not matter: fill it with what would.
	b.text = append([]byte(text), slices.Repeat([]byte("\n,\""), slack)...)[:len(text)]
	if !way(b, d) {
		return tokens{}, false
	}
	if b.lines != lineBreaks(b.text[:b.next]) {
		panic("the block has other line breaks than its text")
	}
	out := tokens{b.rows, b.next, b.full, b.starts[:b.rows], b.ends[:b.rows*columns], nil}
	for c := range columns {
		cells := b.column(d, c, 0, b.rows)
		var texts []string
		for i := range cells.lo {
			texts = append(texts, string(cells.at(i)))
		}
		out.Cells = append(out.Cells, texts)
	}
	return out, true
}

func plainly(b *block, d *dialect) bool {
	err := b.plain(d)
	b.lines = lineBreaks(b.text[:b.next])
	return err == nil
}

// Whatever the fast way does not decline it finds as the plain one does.
func sameTokens(t rapid.TB, d *dialect, text string, columns int, s sizes) (fast bool) {
	got, ok := tokensBy(d, (*block).regular, text, columns, s)
	if !ok {
		return false
	}
	want, ok := tokensBy(d, plainly, text, columns, s)
	if !ok {
		t.Fatalf("%q is regular, but wrong", text)
	}
	// The two may stop at different rows; the fast one must not have gone farther.
	if got.Rows > want.Rows {
		t.Fatalf("%q: %d rows, want %d", text, got.Rows, want.Rows)
	}
	n := got.Rows
	want = tokens{n, got.Next, got.Full, want.Starts[:n], want.Ends[:n*columns], want.Cells}
	for c := range want.Cells {
		want.Cells[c] = want.Cells[c][:n]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%q: %s", text, d)
	}
	return true
}

func TestRegularIsPlain(t *testing.T) {
	d := testDialect(t, nil)
	fast, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		pieces := []string{"1", "23", "abcdefgh", "\"x\"", "\"a,b\"", "\"q\"\"q\"", "\"\"", "\"l\nl\"", "", "-", "+", "\x0b", "!", "é"}
		odd := rapid.IntRange(0, 4).Draw(t, "odd") == 0
		if odd {
			pieces = append(pieces, "\"", "a\"b", "\"x\"y", "\r", "\"\r\"")
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		var b strings.Builder
		for range rapid.IntRange(1, 60).Draw(t, "rows") {
			n := columns
			if odd && rapid.IntRange(0, 20).Draw(t, "ragged") == 0 {
				n = rapid.IntRange(0, columns+1).Draw(t, "cells")
			}
			for c := range n {
				if c > 0 {
					b.WriteByte(',')
				}
				b.WriteString(rapid.SampledFrom(pieces).Draw(t, "cell"))
			}
			b.WriteString(end)
		}
		text := b.String()
		text = text[:rapid.IntRange(0, len(text)).Draw(t, "cut")]
		s := sizes{text: 1 << 10, cells: rapid.IntRange(1, 300).Draw(t, "cells"), rows: rapid.IntRange(1, 100).Draw(t, "rows")}
		all++
		if sameTokens(t, d, text, columns, s) {
			fast++
		}
	})
	// About half of the drawn texts are regular; far fewer would mean that the fast way is hardly taken.
	if fast < all/8 {
		t.Errorf("only %d of %d texts took the fast way", fast, all)
	}
}

func FuzzTokens(f *testing.F) {
	d := testDialect(f, nil)
	f.Add("a,b\n\"c,\"\"d\",e\r\n", uint8(2))
	f.Add("1\n\n2\n", uint8(1))
	f.Add(strings.Repeat("x,\"y\"\n", 30), uint8(2))
	f.Fuzz(func(t *testing.T, text string, columns uint8) {
		sameTokens(t, d, text, 1+int(columns%8), defaultSizes)
	})
}

func TestLineBreaks(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "\n": 1, "\r": 1, "\r\n": 1, "\n\r": 2, "\r\r\n\n": 3, "a\nb\r\nc\rd": 3} {
		if got := lineBreaks([]byte(text)); got != want {
			t.Errorf("%q has %d line breaks, want %d", text, got, want)
		}
	}
}

// addRows adds the rows of an input's block to an index.
func addRows(x *index, in *input) {
	var starts rowStarts
	in.after = in.at
	in.after.line += int64(in.block.rows)
	starts.add(in.at, in, in.block.rows)
	x.add(in.at, &starts)
}

// Many places are thinned out, and what is left still says where its rows begin.
func TestIndex(t *testing.T) {
	const width = 512 // bytes a row
	x := newIndex(position{0, 4, 2})
	in := &input{block: newBlock(1, defaultSizes)}
	in.block.rows, in.block.text = 1, make([]byte, width)
	rows := int64(0)
	for ; x.every == indexBytes; rows += indexRows {
		in.at = position{rows, 4 + rows*width, 2 + rows}
		addRows(x, in)
		if !x.holds(in) {
			t.Fatalf("row %d: the index does not hold what it was made of", rows)
		}
		if len(x.places) > indexPlaces {
			t.Fatal("too many places")
		}
	}
	if len(x.places) != indexPlaces/2 {
		t.Errorf("%d places", len(x.places))
	}
	for i, p := range x.places {
		if p.row*width+4 != p.offset || p.row+2 != p.line {
			t.Fatalf("place %d: %+v", i, p)
		}
	}
	if i := x.before(x.places[7].row); i != 7 {
		t.Errorf("before place 7: %d", i)
	}
	if i := x.before(x.places[7].row - 1); i != 6 {
		t.Errorf("just before place 7: %d", i)
	}
	in.block.starts[0]++
	in.at = x.places[len(x.places)-1]
	if x.holds(in) {
		t.Error("a row that begins elsewhere is not noticed")
	}
	for _, most := range []int64{1, 5000, 1 << 22, rows} {
		next := int64(0)
		splits := x.splits(rows, most)
		for i, s := range splits {
			if s.Begin != next || s.End <= s.Begin || s.Rows() > max(most, 3*indexRows) {
				t.Fatalf("split %d is %v, want it to begin at %d", i, s, next)
			}
			next = s.End
		}
		if next != rows {
			t.Errorf("splits end at %d of %d", next, rows)
		}
		if most == 1 && len(splits) != len(x.places) || most == rows && len(splits) != 1 {
			t.Errorf("%d splits of at most %d rows, %d places", len(splits), most, len(x.places))
		}
	}
}

// Rows so long that a multiple of indexRows is far are places too.
func TestIndexOfLongRows(t *testing.T) {
	const width = 100 << 10
	x := newIndex(position{0, 4, 2})
	in := &input{block: newBlock(1, defaultSizes)}
	in.block.rows, in.block.text = 2, make([]byte, 2*width)
	in.block.starts[1] = width
	for rows := int64(0); rows < 1000; rows += 2 {
		in.at = position{rows, 4 + rows*width, 2 + rows}
		addRows(x, in)
	}
	if n := len(x.places); n < 20 || n > 30 {
		t.Errorf("%d places in %d bytes: %+v", n, 1000*width, x.places)
	}
}

// A table may have thousands of small files: what a scan of one holds goes by its size.
func TestSmallFileSmallBlock(t *testing.T) {
	for _, c := range []struct {
		size           int64
		columns, bytes int
	}{
		{16, 2, 1 << 10},
		{16, 8, 1 << 10},
		{4 << 10, 1, 64 << 10},
		{4 << 10, 2, 64 << 10},
	} {
		if n := defaultSizes.within(c.size).bytes(c.columns); n > c.bytes {
			t.Errorf("a file of %d bytes with %d columns: a block of %d bytes, want at most %d", c.size, c.columns, n, c.bytes)
		}
	}
	if got := defaultSizes.within(1 << 30); got != defaultSizes {
		t.Errorf("a large file: %+v", got)
	}
}
