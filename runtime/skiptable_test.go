package runtime_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
)

func dtype(s string) colstore.DType {
	t, err := colstore.ParseDType(s)
	if err != nil {
		panic(err)
	}
	return t
}

// skipTypes has a column of every dtype, two of some, so that they can be compared; a big-endian one has a twin here.
var skipTypes = []string{
	"|b1", "<i1", "<i2", "<i4", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<f8",
	"<M8[D]", "<M8[s]", "<m8[ms]", "|S2", "<U2",
}

func skipSchema(bigEndian bool) *colstore.Schema {
	seen := map[string]int{}
	var fields []colstore.Field
	for _, code := range skipTypes {
		name := strings.ToLower(strings.NewReplacer("<U", "t", "<", "", "|", "", "[", "", "]", "").Replace(code))
		if seen[name]++; seen[name] > 1 {
			name += "b"
		}
		if bigEndian && code != "|b1" && !strings.HasPrefix(code, "|") {
			code = ">" + code[1:]
		}
		fields = append(fields, colstore.Field{Name: name, Type: dtype(code)})
	}
	return colstore.MustSchema(fields...)
}

// The pools that values come from, in order. A group draws from a few neighbours of a pool.
var (
	intPool = []int64{
		math.MinInt64 + 1, -1 << 53, math.MinInt32, -1 << 15, -129, -128, -3, -1, 0, 1, 2, 100, 127, 128, 255, 256, 1<<15 - 1,
		1<<16 - 1, math.MaxInt32, math.MaxUint32, 1<<53 + 1, math.MaxInt64,
	}
	uintPool  = []uint64{0, 1, 2, 100, 127, 128, 255, 256, 1 << 15, 1<<16 - 1, 1 << 31, 1<<32 - 1, 1<<53 + 1, 1 << 63, math.MaxUint64}
	floatPool = []float64{
		math.Inf(-1), -math.MaxFloat64, -1e6, -3, -1.5, -1e-300, math.Copysign(0, -1), 0, 1e-300, 0.1, 0.5, 2, 2.5, 1000, 70000,
		1<<53 + 2, math.MaxFloat64, math.Inf(1),
	}
	bytesPool = []string{"", "a", "aa", "ab", "b", "zz", "\xc3\xa9", "\xff"}
	textPool  = []string{"", "a", "aa", "ab", "b", "zz", "é", "\U0001f600"}
)

// raw returns value i of the pool of a dtype in native bytes; ok is false beyond the pool, or for what the dtype does not
// hold.
func raw(t colstore.DType, i int) (v []byte, ok bool) {
	size := t.Size()
	switch t.Kind() {
	case colstore.KindBool:
		return []byte{byte(i)}, i < 2
	case colstore.KindInt, colstore.KindDatetime, colstore.KindTimedelta:
		if i >= len(intPool) {
			return nil, false
		}
		v := intPool[i]
		shift := 64 - 8*size
		if t.Kind() == colstore.KindInt && i == 0 {
			v-- // the least is NaT to a time
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(v))[:size], v<<shift>>shift == v
	case colstore.KindUint:
		if i >= len(uintPool) {
			return nil, false
		}
		return binary.LittleEndian.AppendUint64(nil, uintPool[i])[:size], size == 8 || uintPool[i]>>(8*size) == 0
	case colstore.KindFloat:
		if i >= len(floatPool) {
			return nil, false
		}
		return floatBytes(t, floatPool[i]), true
	case colstore.KindBytes:
		if i >= len(bytesPool) {
			return nil, false
		}
		return append([]byte(bytesPool[i]), make([]byte, size-len(bytesPool[i]))...), true
	default:
		if i >= len(textPool) {
			return nil, false
		}
		v := colstore.AppendText(nil, textPool[i])
		return append(v, make([]byte, size-len(v))...), true
	}
}

func floatBytes(t colstore.DType, v float64) []byte {
	switch t.Size() {
	case 2:
		return binary.LittleEndian.AppendUint16(nil, half.From64(v))
	case 4:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
}

// A groupedTable is rows in groups, as a source that knows exact bounds of each group. With blind it never skips.
type groupedTable struct {
	b      *colstore.Batch
	groups []colstore.Range
	hidden map[string]bool // columns without bounds
	blind  bool
}

// drawTable draws a table whose groups hold few different values each. Without missing there is no NaN and NaT.
func drawTable(rt *rapid.T, bigEndian, missing bool) *groupedTable {
	s := skipSchema(bigEndian)
	g := &groupedTable{hidden: map[string]bool{}}
	data := make([][]byte, s.Len())
	rows := 0
	for range rapid.IntRange(1, 6).Draw(rt, "groups") {
		n := rapid.SampledFrom([]int{1, 2, 3, 70}).Draw(rt, "rows")
		g.groups = append(g.groups, colstore.Range{Begin: int64(rows), End: int64(rows + n)})
		rows += n
		for i, f := range s.All() {
			var pool [][]byte
			for j := range 30 {
				if v, ok := raw(f.Type.Native(), j); ok {
					pool = append(pool, v)
				}
			}
			at := rapid.IntRange(0, len(pool)-1).Draw(rt, f.Name)
			window := slices.Clone(pool[at:min(len(pool), at+rapid.IntRange(1, 3).Draw(rt, "width"))])
			if missing && rapid.IntRange(0, 5).Draw(rt, "missing") == 0 {
				switch k := f.Type.Kind(); {
				case k == colstore.KindFloat:
					window = append(window, floatBytes(f.Type, math.NaN()))
				case f.Type.IsTime():
					window = append(window, binary.LittleEndian.AppendUint64(nil, 1<<63))
				}
			}
			for j := range n {
				v := window[(j*7+i+at)%len(window)]
				if f.Type.BigEndian() {
					v = swapped(v, f.Type)
				}
				data[i] = append(data[i], v...)
			}
		}
	}
	cols := make([]colstore.Column, s.Len())
	var err error
	for i, f := range s.All() {
		if cols[i], err = colstore.NewColumn(f.Type, rows, data[i]); err != nil {
			rt.Fatal(err)
		}
		if rapid.IntRange(0, 9).Draw(rt, "hidden") == 0 {
			g.hidden[f.Name] = true
		}
	}
	if g.b, err = colstore.NewBatch(s, cols...); err != nil {
		rt.Fatal(err)
	}
	return g
}

func swapped(v []byte, t colstore.DType) []byte {
	word := t.Size()
	if t.Kind() == colstore.KindText {
		word = 4
	}
	v = slices.Clone(v)
	for at := 0; at < len(v); at += word {
		slices.Reverse(v[at : at+word])
	}
	return v
}

func (g *groupedTable) Schema() *colstore.Schema    { return g.b.Schema() }
func (g *groupedTable) Rows() int64                 { return int64(g.b.Rows()) }
func (g *groupedTable) Close() error                { return nil }
func (g *groupedTable) Cost([]string) colstore.Cost { return colstore.Cost{Rescan: true} }

func (g *groupedTable) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for at := int64(0); at < g.Rows(); at += int64(rows) {
		out = append(out, colstore.Range{Begin: at, End: min(at+int64(rows), g.Rows())})
	}
	return out
}

func (g *groupedTable) Scan(_ context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		rows := s.Rows
		if rows.End == 0 {
			rows.End = g.Rows()
		}
		most := int64(s.BatchRows)
		if most <= 0 {
			most = 50
		}
		for i, group := range g.groups {
			at := colstore.Range{Begin: max(rows.Begin, group.Begin), End: min(rows.End, group.End)}
			if at.Begin >= at.End || s.Skip != nil && !g.blind && s.Skip.Skip(at, func(name string) (colstore.Bounds, bool) { return g.bounds(name, i) }) {
				continue
			}
			for ; at.Begin < at.End; at.Begin += most {
				if !g.b.Slice(int(at.Begin), int(min(at.Begin+most, at.End))).WithBegin(at.Begin).Lend(yield) {
					return
				}
			}
		}
	}
}

// bounds returns those of a group's values.
func (g *groupedTable) bounds(name string, i int) (b colstore.Bounds, ok bool) {
	c, err := g.b.Column(name)
	if err != nil || g.hidden[name] {
		return b, false
	}
	lo, hi := -1, -1
	for r := int(g.groups[i].Begin); r < int(g.groups[i].End); r++ {
		switch {
		case isNaN(c, r):
			b.NaN = true
			continue
		case lo < 0:
			lo, hi = r, r
			continue
		}
		if compareCells(c, r, c, lo) < 0 {
			lo = r
		}
		if compareCells(c, r, c, hi) > 0 {
			hi = r
		}
	}
	if lo < 0 {
		return b, false
	}
	b.Lo, b.Hi = c.Slice(lo, lo+1, 1), c.Slice(hi, hi+1, 1)
	return b, true
}

func isNaN(c colstore.Column, r int) bool {
	v := nativeCell(c, r)
	if c.Type().Kind() == colstore.KindFloat {
		return math.IsNaN(floatOf(v))
	}
	return c.Type().IsTime() && binary.LittleEndian.Uint64(v) == 1<<63
}

func nativeCell(c colstore.Column, r int) []byte {
	if c.Type().BigEndian() {
		return swapped(c.At(r), c.Type())
	}
	return c.At(r)
}

func floatOf(v []byte) float64 {
	switch len(v) {
	case 2:
		return float64(half.To32(binary.LittleEndian.Uint16(v)))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v))
}

// compareCells orders two values of one dtype by what they mean, in code of its own.
func compareCells(c colstore.Column, r int, d colstore.Column, s int) int {
	a, b := nativeCell(c, r), nativeCell(d, s)
	switch t := c.Type(); t.Kind() {
	case colstore.KindFloat:
		return cmp.Compare(floatOf(a), floatOf(b))
	case colstore.KindInt, colstore.KindDatetime, colstore.KindTimedelta:
		wide := func(v []byte) int64 {
			var buf [8]byte
			copy(buf[8-len(v):], v)
			return int64(binary.LittleEndian.Uint64(buf[:]))
		}
		return cmp.Compare(wide(a), wide(b))
	case colstore.KindText:
		for i := 0; i < len(a); i += 4 {
			if x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:]); x != y {
				return cmp.Compare(x, y)
			}
		}
		return 0
	case colstore.KindBytes:
		return slices.Compare(a, b)
	default:
		a, b = slices.Clone(a), slices.Clone(b)
		slices.Reverse(a)
		slices.Reverse(b)
		return slices.Compare(a, b)
	}
}
