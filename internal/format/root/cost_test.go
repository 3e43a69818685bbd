package root_test

import (
	goruntime "runtime"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// heldBytes is what is on the heap, garbage left out.
func heldBytes() int64 {
	goruntime.GC()
	goruntime.GC() // the second empties pools
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What a scan holds is not more than its cost says, but for what libraries allocate.
func TestCostIsHonest(t *testing.T) {
	const rows = 1 << 18
	values := make([]byte, 8*rows)
	for i := range values {
		values[i] = byte(i >> 10)
	}
	lists := make([]int32, rows+1)
	for i := range lists[:rows] {
		lists[i] = int32(8 * i)
	}
	for name, c := range map[string]struct {
		codec   string
		offsets []int32
		library int64
	}{
		"stored": {library: 128 << 10},
		"zlib":   {codec: "zlib", library: 256 << 10},
		"lz4":    {codec: "lz4", library: 256 << 10},
		"zstd":   {codec: "zstd", library: 1 << 20},
		"xz":     {codec: "xz", library: 256 << 10},
		"lists":  {codec: "zlib", offsets: lists, library: 256 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			tree := &madeTree{class: "TTree", name: "t", cycle: 1, version: 20, entries: 2 * rows}
			for _, n := range []string{"a", "b", "c"} {
				b := &madeBranch{class: "TBranch", name: n, leaves: []*madeLeaf{{class: "TLeafD", name: n, len: 1, size: 8}}}
				if c.offsets != nil {
					b.leaves[0].countTag = 2
				}
				for range 2 {
					b.baskets = append(b.baskets, &madeBasket{rows: rows, values: values, codec: c.codec, offsets: c.offsets})
				}
				tree.branches = append(tree.branches, b)
			}
			f, err := openFile((&madeFile{magic: "root", trees: []*madeTree{tree}}).write(t), reading{jagged: "pad=1"})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src, err := f.Source(t.Context(), format.Projection{})
			if err != nil {
				t.Fatal(err)
			}
			cost := src.(colstore.Coster).Cost(nil)
			if cost.Row != src.Schema().RowBytes() {
				t.Errorf("%d bytes a row, %s", cost.Row, src.Schema())
			}
			before := heldBytes()
			worst, batch := int64(0), 1<<14
			for _, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: batch, Threads: 2}) {
				if err != nil {
					t.Fatal(err)
				}
				worst = max(worst, heldBytes()-before)
			}
			if most := cost.Fixed + int64(batch*cost.Row) + c.library; worst > most {
				t.Errorf("a scan holds %s, its cost says %s", colstore.ByteSize(worst), colstore.ByteSize(most))
			}
			t.Logf("holds %s of %s", colstore.ByteSize(worst), colstore.ByteSize(cost.Fixed+int64(batch*cost.Row)))
		})
	}
}
