package root_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// leafKinds are the classes of leaves with the bytes of a value.
var leafKinds = []struct {
	class string
	size  int
	typ   colstore.DType
}{
	{"TLeafB", 1, colstore.Int8},
	{"TLeafS", 2, colstore.Int16},
	{"TLeafI", 4, colstore.Int32},
	{"TLeafL", 8, colstore.Int64},
	{"TLeafG", 8, colstore.Int64},
	{"TLeafF", 4, colstore.Float32},
	{"TLeafD", 8, colstore.Float64},
	{"TLeafO", 1, colstore.Bool},
}

// A model is a file and what it holds: the values of each column, in native byte order.
type model struct {
	file *madeFile
	rows int
	want map[string][]byte
}

// native returns big-endian values of size bytes as a column has them.
func native(values []byte, size int) []byte {
	out := slices.Clone(values)
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		for i := 0; i < len(out); i += size {
			slices.Reverse(out[i : i+size])
		}
	}
	return out
}

// drawModel makes a file of several branches, each with baskets of its own, some of them in the tree.
func drawModel(rt *rapid.T) *model {
	m := &model{rows: rapid.IntRange(0, 60).Draw(rt, "rows"), want: map[string][]byte{}}
	t := &madeTree{class: "TTree", name: "t", cycle: 1, version: 20, entries: int64(m.rows)}
	m.file = &madeFile{magic: "root", isBig: rapid.Bool().Draw(rt, "big"), trees: []*madeTree{t}}
	bytesOf := rapid.Custom(func(rt *rapid.T) []byte { return rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(rt, "value") })
	for i := range rapid.IntRange(1, 4).Draw(rt, "branches") {
		b := &madeBranch{class: "TBranch", name: fmt.Sprint("b", i)}
		var sizes []int
		for j := range rapid.IntRange(1, 3).Draw(rt, "leaves") {
			k := rapid.SampledFrom(leafKinds).Draw(rt, "kind")
			b.leaves = append(b.leaves, &madeLeaf{class: k.class, name: fmt.Sprint("l", j), len: 1, size: int32(k.size)})
			sizes = append(sizes, k.size)
		}
		var entries [][]byte
		columns := make([][]byte, len(sizes))
		for range m.rows {
			var entry []byte
			for j, size := range sizes {
				v := bytesOf.Draw(rt, "v")[:size]
				if b.leaves[j].class == "TLeafO" {
					v[0] &= 1
				}
				entry = append(entry, v...)
				columns[j] = append(columns[j], native(v, size)...)
			}
			entries = append(entries, entry)
		}
		for j := range sizes {
			name := b.name
			if len(sizes) > 1 {
				name += "." + b.leaves[j].name
			}
			m.want[name] = columns[j]
		}
		for at := 0; at < m.rows; {
			n := rapid.IntRange(1, m.rows-at).Draw(rt, "entries of a basket")
			k := &madeBasket{rows: int32(n), values: slices.Concat(entries[at : at+n]...)}
			if b.inner != nil || rapid.IntRange(0, 5).Draw(rt, "inner") == 0 {
				b.inner = append(b.inner, k)
			} else {
				k.codec = rapid.SampledFrom([]string{"", "zlib", "zstd", "xz"}).Draw(rt, "codec")
				b.baskets = append(b.baskets, k)
			}
			at += n
		}
		t.branches = append(t.branches, b)
	}
	return m
}

// Any rows of any columns are those of the model, whatever the baskets, the batches and the threads.
func TestScansAgreeWithTheModel(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.root")
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		if err := os.WriteFile(path, m.file.bytes(), 0o666); err != nil {
			rt.Fatal(err)
		}
		f, err := openFile(path, reading{})
		if err != nil {
			rt.Fatal(err)
		}
		defer f.Close()
		if len(f.Names()) != len(m.want) {
			rt.Fatalf("columns %q", f.Names())
		}
		src, err := f.Source(rt.Context(), format.Projection{Columns: rapid.Permutation(f.Names()).Draw(rt, "order")})
		if err != nil {
			rt.Fatal(err)
		}
		checkSplits(rt, src)
		for range 3 {
			begin := rapid.IntRange(0, m.rows).Draw(rt, "begin")
			end := rapid.IntRange(begin, m.rows).Draw(rt, "end")
			if end == 0 {
				continue // would be all rows
			}
			scan := colstore.Scan{
				Rows: colstore.Range{Begin: int64(begin), End: int64(end)}, BatchRows: rapid.IntRange(0, 20).Draw(rt, "batch"),
				Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
				Columns: rapid.SliceOfNDistinct(rapid.SampledFrom(f.Names()), 1, -1, rapid.ID).Draw(rt, "columns"),
			}
			got := map[string][]byte{}
			for b, err := range src.Scan(rt.Context(), scan) {
				if err != nil {
					rt.Fatal(err)
				}
				for i, f := range b.Schema().All() {
					data, _ := b.At(i).Bytes()
					got[f.Name] = append(got[f.Name], data...)
				}
			}
			for _, n := range scan.Columns {
				size := len(m.want[n]) / m.rows
				if !bytes.Equal(got[n], m.want[n][begin*size:end*size]) {
					rt.Fatalf("rows %d to %d of %s are % x, want % x", begin, end, n, got[n], m.want[n][begin*size:end*size])
				}
			}
		}
	})
}

// checkSplits checks that splits cover the rows in order, and are no larger than they have to be.
func checkSplits(tb rapid.TB, src colstore.Source) {
	for _, rows := range []int{1, 7, 1 << 20} {
		next := int64(0)
		for _, r := range src.(colstore.Splitter).Splits(rows) {
			if r.Begin != next || r.End <= r.Begin {
				tb.Fatalf("a split of rows %d to %d behind row %d", r.Begin, r.End, next)
			}
			next = r.End
		}
		if next != src.Rows() {
			tb.Fatalf("the splits end at row %d of %d", next, src.Rows())
		}
	}
}

// Splits begin where most branches begin a basket, or those of the branch with the fewest.
func TestSplits(t *testing.T) {
	branch := func(name string, rows ...int32) *madeBranch {
		b := &madeBranch{class: "TBranch", name: name, leaves: []*madeLeaf{{class: "TLeafB", name: name, len: 1, size: 1}}}
		for _, n := range rows {
			b.baskets = append(b.baskets, &madeBasket{rows: n, values: make([]byte, n)})
		}
		return b
	}
	for name, c := range map[string]struct {
		branches []*madeBranch
		rows     int
		want     []colstore.Range
	}{
		"clusters":  {[]*madeBranch{branch("a", 4, 4, 4), branch("b", 2, 2, 2, 2, 2, 2), branch("c", 4, 8)}, 5, []colstore.Range{{Begin: 0, End: 4}, {Begin: 4, End: 8}, {Begin: 8, End: 12}}},
		"joined":    {[]*madeBranch{branch("a", 4, 4, 4), branch("b", 4, 4, 4)}, 8, []colstore.Range{{Begin: 0, End: 8}, {Begin: 8, End: 12}}},
		"no border": {[]*madeBranch{branch("a", 5, 7), branch("b", 3, 1, 8), branch("c", 11, 1)}, 1, []colstore.Range{{Begin: 0, End: 5}, {Begin: 5, End: 12}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &madeFile{magic: "root", trees: []*madeTree{{class: "TTree", name: "t", cycle: 1, version: 20, entries: 12, branches: c.branches}}}
			f, err := openFile(m.write(t), reading{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src, err := f.Source(t.Context(), format.Projection{})
			if err != nil {
				t.Fatal(err)
			}
			if got := src.(colstore.Splitter).Splits(c.rows); !slices.Equal(got, c.want) {
				t.Errorf("splits %v, want %v", got, c.want)
			}
		})
	}
}

// A scan reads no basket of a column that nobody asked for: damage there is not seen.
func TestProjectionReadsOnlyWhatIsAsked(t *testing.T) {
	m, tree := good()
	for _, k := range slices.Concat(tree.branches[0].baskets, tree.branches[2].baskets) {
		k.head = func(h *madeHead) { h.class = "TRubbish" }
	}
	path := m.write(t)
	if _, err := all(path); err == nil {
		t.Fatal("the damage is not seen")
	}
	got, _, err := readTable(path, reading{columns: []string{"n"}})
	if err != nil || !bytes.Equal(raw(got, 0), native(be(4, 1, 0, 2, 2, 1), 4)) {
		t.Errorf("%v", err)
	}
}

// A part of what a list or array becomes can be asked for by its name.
func TestParts(t *testing.T) {
	got, _, err := readTable("testdata/jagged.root", reading{jagged: "explode", columns: []string{"cov_2", "jet_pt_n", "met", "jet_pt_0"}})
	if err != nil {
		t.Fatal(err)
	}
	if names := got.Schema().Names(); !slices.Equal(names, []string{"cov_2", "jet_pt_n", "met", "jet_pt_0"}) {
		t.Errorf("columns %q", names)
	}
	for _, name := range []string{"cov_3", "cov_", "met_0", "jet_pt_2", "cov_n", "jet_pt_02"} {
		if _, _, err := readTable("testdata/jagged.root", reading{jagged: "explode", columns: []string{name}}); err == nil {
			t.Errorf("there is a column %q", name)
		}
	}
	if _, _, err := readTable("testdata/jagged.root", reading{jagged: "error"}); err == nil {
		t.Error("a list is no error")
	}
}

// Values that do not fit into the blocks of a basket go on in the next.
func TestEntriesAcrossBlocks(t *testing.T) {
	values := make([]byte, 8*1000)
	for i := range values {
		values[i] = byte(i * i >> 3)
	}
	for _, codec := range []string{"zlib", "lz4", "zstd", "xz"} {
		for _, cut := range []int{1, 7, 8, 1003, 7999} {
			k := &madeBasket{rows: 1000, values: values, codec: codec}
			k.blocks = func([]byte) []byte { return append(pack(codec, values[:cut], nil), pack(codec, values[cut:], nil)...) }
			m := &madeFile{magic: "root", trees: []*madeTree{{class: "TTree", name: "t", cycle: 1, version: 20, entries: 1000, branches: []*madeBranch{
				{class: "TBranch", name: "x", leaves: []*madeLeaf{{class: "TLeafL", name: "x", len: 1, size: 8}}, baskets: []*madeBasket{k}},
			}}}}
			path := m.write(t)
			for _, batch := range []int{0, 1, 333} {
				got, _, err := readTable(path, reading{scan: colstore.Scan{BatchRows: batch}})
				if codec == "lz4" && (cut < 20 || cut > 7980) {
					continue // so few bytes are no block of LZ4
				}
				if err != nil || !bytes.Equal(raw(got, 0), native(values, 8)) {
					t.Errorf("%s, first block of %d bytes, batches of %d: %v", codec, cut, batch, err)
				}
			}
		}
	}
}

// Files that are read together agree on how many columns a list becomes.
func TestUnfold(t *testing.T) {
	f, err := openFile("testdata/jagged.root", reading{jagged: "explode"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := f.(interface {
		Longest(ctx context.Context, columns []string) (map[string]int64, error)
		Unfold(longest map[string]int64) error
		Parts(name string) []string
		Skipped() []string
	})
	longest, err := n.Longest(t.Context(), nil)
	if err != nil || !maps.Equal(longest, map[string]int64{"jet_pt": 2}) {
		t.Fatalf("%v %v", longest, err)
	}
	if few, err := n.Longest(t.Context(), []string{"met", "jet"}); err != nil || len(few) != 0 {
		t.Fatalf("%v %v", few, err)
	}
	if n.Parts("jet_pt") != nil || n.Skipped() != nil {
		t.Error("there are parts before that is decided")
	}
	if err := n.Unfold(map[string]int64{"jet_pt": 3, "other": 7}); err != nil {
		t.Fatal(err)
	}
	want := []string{"njet_pt", "jet_pt_0", "jet_pt_1", "jet_pt_2", "jet_pt_n", "met", "cov_0", "cov_1", "cov_2", "ok"}
	if !slices.Equal(f.Names(), want) || !slices.Equal(n.Parts("jet_pt"), want[1:5]) || !slices.Equal(n.Parts("cov"), want[6:9]) || n.Parts("met") != nil {
		t.Errorf("columns %q", f.Names())
	}
	src, err := f.Source(t.Context(), format.Projection{Columns: f.Names()})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(src.Schema().Names(), want) {
		t.Errorf("columns %q", src.Schema().Names())
	}
	for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"jet_pt_2"}}) {
		if err != nil {
			t.Fatal(err)
		}
		if v, err := colstore.Values[float64](b.At(0)); err != nil || len(v) != 3 || v[0] == v[0] || v[2] == v[2] {
			t.Errorf("%v %v", v, err)
		}
	}
	if err := n.Unfold(map[string]int64{"jet_pt": 5000}); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("5000 columns: %v", err)
	}
}
