package kernel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// sizes are dtypes of all widths that a kernel tells apart, and some it does not.
var sizes = []colstore.DType{
	colstore.Uint8, colstore.Int16, colstore.Float32, colstore.Float64, colstore.TextOf(4), colstore.BytesOf(3),
	colstore.BytesOf(40), colstore.Float64.Swapped(), colstore.TextOf(3).Swapped(),
}

// scattered returns a column of random bytes that begins at a byte offset and has a stride.
func scattered(tb testing.TB, r *rand.Rand, t colstore.DType, rows, shift, stride int) colstore.Column {
	tb.Helper()
	step := max(1, stride)
	raw := make([]byte, shift+(rows*step+1)*t.Size())
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	whole, err := colstore.NewColumn(t, rows*step, raw[shift:])
	if err != nil {
		tb.Fatal(err)
	}
	if stride < 0 {
		return whole.Slice(rows-1, -1, -1)
	}
	return whole.Slice(0, rows*step, step)
}

func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, typ := range sizes {
		for _, records := range [][]int{{0}, {1}, {257}, {0, 5, 0, 0, 70, 1}, {64, 64, 64, 64}} {
			for _, stride := range []int{1, 3, -1} {
				var column []colstore.Column
				starts := []int64{0}
				for _, rows := range records {
					column = append(column, scattered(t, r, typ, rows, r.IntN(64), stride))
					starts = append(starts, starts[len(starts)-1]+int64(rows))
				}
				runs := kernel.NewRuns(starts)
				total := int(runs.Rows())
				for n := range 70 {
					if total == 0 {
						n = 0
					}
					rows := make([]int64, n)
					for i := range rows {
						rows[i] = r.Int64N(int64(total))
					}
					size := typ.Size()
					dst, check := offset[uint8](n*size, r.IntN(64))
					if bad := runs.Gather(dst, column, rows); bad >= 0 {
						t.Fatalf("%s: row %d is refused", typ, rows[bad])
					}
					check(t)
					for i, row := range rows {
						run, at := runs.Find(row)
						if want := column[run].At(int(at)); !bytes.Equal(dst[i*size:(i+1)*size], want) {
							t.Fatalf("%s, records %v, stride %d: row %d", typ, records, stride, row)
						}
					}
				}
				for _, row := range []int64{-1, int64(total), 1 << 62, -1 << 63} {
					rows := []int64{row}
					want := 0
					if total > 0 {
						rows, want = []int64{0, row}, 1
					}
					if bad := runs.Gather(make([]byte, 2*typ.Size()), column, rows); bad != want {
						t.Fatalf("%s: row %d of %d is taken", typ, row, total)
					}
				}
			}
		}
	}
}

// TestGatherTwins gathers rows in many orders and from many layouts at every level, and compares with rows taken one by
// one; and stops at the first row that does not exist.
func TestGatherTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, size := range append([]int{5, 15, 17, 31, 32, 33, 300}, moved...) {
		for _, layout := range [][]int{
			{5000},
			{200_000 / size},
			{0, 1, 2000, 0, 1, 40, 3000},
			{3, 3, 1, 2, 700, 1, 1, 1, 1},
			slices.Repeat([]int{2}, 900),
			{7, 60, 0, 41, 64, 3},
			slices.Repeat([]int{1<<18/size + 1}, 5), // the last is asked of memory
		} {
			typ := colstore.BytesOf(size)
			stride, mixed := []int{1, 1, 2, -1, 3}[r.IntN(5)], r.IntN(4) == 0
			var column []colstore.Column
			starts := []int64{0}
			for _, rows := range layout {
				if mixed {
					stride = 1 + r.IntN(2)
				}
				column = append(column, scattered(t, r, typ, rows, r.IntN(64), stride))
				starts = append(starts, starts[len(starts)-1]+int64(rows))
			}
			runs := kernel.NewRuns(starts)
			for order, rows := range orders(r, runs.Rows()) {
				var want []byte
				for _, row := range rows {
					if uint64(row) >= uint64(runs.Rows()) {
						break
					}
					run, at := runs.Find(row)
					want = append(want, column[run].At(int(at))...)
				}
				eachLevel(t, func(t *testing.T) {
					dst := fence(len(rows)*size, r.IntN(64))
					bad := runs.Gather(dst.data, column, rows)
					if bad < 0 {
						bad = len(rows)
					}
					if bad*size != len(want) || !bytes.Equal(dst.data[:len(want)], want) || !dst.intact() {
						t.Fatalf("size %d, runs %v, stride %d, order %d: stopped at row %d of %d, want %d", size, layout, stride, order, bad, len(rows), len(want)/size)
					}
				})
			}
		}
	}
}

// orders returns rows of a table of total rows in several orders, some with one that it does not have.
func orders(r *rand.Rand, total int64) (out [][]int64) {
	n := 1 + r.IntN(3000)
	random, near := make([]int64, n), make([]int64, n)
	for i := range random {
		random[i] = r.Int64N(total)
		near[i] = (int64(i) + r.Int64N(3)) % total
	}
	sorted := slices.Sorted(slices.Values(random))
	down := slices.Clone(sorted)
	slices.Reverse(down)
	out = append(out, random, near, sorted, down, random[:1], sorted[:min(n, 7)])
	for _, bad := range []int64{-1, total, total + 1, 1 << 62, -1 << 63} {
		for _, rows := range [][]int64{random, sorted} {
			rows = slices.Clone(rows)
			rows[r.IntN(n)] = bad
			out = append(out, rows)
		}
	}
	return out
}

// FuzzRuns finds rows of any layout of records as a search from the front does.
func FuzzRuns(f *testing.F) {
	f.Add([]byte{0, 3, 0, 255, 1}, uint16(2))
	f.Add([]byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, records []byte, pick uint16) {
		starts := []int64{0}
		for _, rows := range records {
			starts = append(starts, starts[len(starts)-1]+int64(rows))
		}
		runs := kernel.NewRuns(starts)
		if runs.Rows() == 0 {
			return
		}
		row := int64(pick) % runs.Rows()
		want := 0
		for starts[want+1] <= row {
			want++
		}
		if run, at := runs.Find(row); run != want || at != row-starts[want] {
			t.Fatalf("row %d is row %d of run %d, want %d", row, at, run, want)
		}
		column := make([]colstore.Column, len(records))
		for i, rows := range records {
			values := make([]int64, rows)
			for j := range values {
				values[j] = starts[i] + int64(j)
			}
			column[i] = colstore.Wrap(values)
		}
		out := make([]int64, 1)
		if bad := runs.Gather(kernel.RawOut(colstore.Wrap(out)), column, []int64{row}); bad >= 0 || out[0] != row {
			t.Fatalf("row %d gives %d", row, out[0])
		}
	})
}

func TestInterleave(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 258 {
		var cols []colstore.Column
		width := 0
		for _, i := range r.Perm(len(sizes))[:r.IntN(len(sizes)+1)] {
			cols = append(cols, scattered(t, r, sizes[i], n, r.IntN(64), []int{1, 2, -1}[r.IntN(3)]))
			width += sizes[i].Size()
		}
		if n == 100 && len(cols) > 0 { // one value repeated
			cols[0] = colstore.RawColumn(cols[0].Type(), n, 0, firstOf(cols[0]))
		}
		dst, check := offset[uint8](n*width, r.IntN(64))
		kernel.Interleave(dst, cols)
		check(t)
		var want []byte
		for i := range n {
			for _, c := range cols {
				cell, _ := c.Slice(i, i+1, 1).Copy().Bytes()
				want = append(want, cell...)
			}
		}
		if !bytes.Equal(dst, want) {
			t.Fatalf("%d records of %d columns differ", n, len(cols))
		}
	}
}

func BenchmarkGather(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, rows := range []int{1_000, 100_000, 4 << 20} {
		for _, size := range []int{1, 2, 4, 8, 12, 16} {
			t := []colstore.DType{1: colstore.Uint8, 2: colstore.Int16, 4: colstore.Float32, 8: colstore.Float64, 12: colstore.BytesOf(12), 16: colstore.BytesOf(16)}[size]
			values := make([]byte, rows*size)
			for _, percent := range []int{1, 10, 50} {
				picks := rows * percent / 100
				random, sorted := make([]int64, picks), make([]int64, 0, picks)
				for i := range random {
					random[i] = r.Int64N(int64(rows))
				}
				for i := range rows {
					if r.IntN(rows-i) < picks-len(sorted) {
						sorted = append(sorted, int64(i))
					}
				}
				dst := make([]byte, picks*size)
				for _, records := range []int{1, 64, 1024} {
					if rows/records < 100 {
						continue
					}
					column, starts := cutInRuns(t, values, rows, records)
					runs := kernel.NewRuns(starts)
					for i, pick := range [][]int64{random, sorted} {
						benchLevels(b, fmt.Sprintf("%dB/%d/%d%%/runs=%d/%s", size, rows, percent, records, []string{"random", "sorted"}[i]), func(b *testing.B) {
							b.SetBytes(int64(len(dst)))
							for b.Loop() {
								runs.Gather(dst, column, pick)
							}
						})
					}
				}
			}
		}
	}
}

// cutInRuns returns a column whose values lie in some runs of about the same length.
func cutInRuns(t colstore.DType, values []byte, rows, records int) (column []colstore.Column, starts []int64) {
	starts = []int64{0}
	for i := range records {
		begin, end := i*rows/records, (i+1)*rows/records
		column = append(column, colstore.RawColumn(t, end-begin, t.Size(), unsafe.Pointer(unsafe.SliceData(values[begin*t.Size():]))))
		starts = append(starts, int64(end))
	}
	return column, starts
}

func firstOf(c colstore.Column) unsafe.Pointer {
	data, _, _ := c.Raw()
	return data
}

// FuzzGather compares all levels with the rows taken one by one, over runs of any lengths.
func FuzzGather(f *testing.F) {
	f.Add([]byte{200, 0, 3}, []byte{1, 0, 0, 0, 2, 0, 7, 0, 201, 0}, uint8(3), int8(1))
	f.Add([]byte{255}, bytes.Repeat([]byte{0, 0, 1, 0, 2, 0}, 20), uint8(7), int8(-1))
	f.Fuzz(func(t *testing.T, layout, picks []byte, width uint8, step int8) {
		size, stride := moved[int(width)%len(moved)], int(step)%4
		if stride == 0 {
			stride = 1
		}
		r := rand.New(rand.NewPCG(uint64(width), 1))
		var column []colstore.Column
		starts := []int64{0}
		for _, rows := range layout {
			column = append(column, scattered(t, r, colstore.BytesOf(size), int(rows), int(width)%64, stride))
			starts = append(starts, starts[len(starts)-1]+int64(rows))
		}
		runs := kernel.NewRuns(starts)
		var rows []int64
		for ; len(picks) >= 2; picks = picks[2:] {
			rows = append(rows, int64(int16(binary.LittleEndian.Uint16(picks))))
		}
		want, stop := []byte{}, -1
		for i, row := range rows {
			if uint64(row) >= uint64(runs.Rows()) {
				stop = i
				break
			}
			run, at := runs.Find(row)
			want = append(want, column[run].At(int(at))...)
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			dst := fence(len(rows)*size, int(width)%64)
			bad := runs.Gather(dst.data, column, rows)
			kernel.SetLevel(before)
			if bad != stop || !bytes.Equal(dst.data[:len(want)], want) || !dst.intact() {
				t.Fatalf("size %d, stride %d, %d rows at level %v differ", size, stride, len(rows), l)
			}
		}
	})
}

// Rows near each other in a column beyond the caches, whose lines are asked for ahead, are the rows one by one: of one run and
// of several, forwards and back, to the first that there is not.
func TestGatherNear(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	const total = 150_000
	data := randomBytes(r, total*16)
	var rows []int64
	for row := int64(0); row < total-16; row += int64(1 + r.IntN(15)) {
		rows = append(rows, row)
	}
	for _, size := range []int{8, 12, 16} {
		for _, back := range []bool{false, true} {
			whole := colstore.RawColumn(colstore.BytesOf(size), total, 16, unsafe.Pointer(unsafe.SliceData(data)))
			if size == 16 {
				whole = colstore.RawColumn(colstore.BytesOf(size), total, size, unsafe.Pointer(unsafe.SliceData(data)))
			}
			if back {
				whole = whole.Slice(total-1, -1, -1)
			}
			want := make([]byte, 0, len(rows)*size)
			for _, row := range rows {
				want = append(want, whole.At(int(row))...)
			}
			for _, starts := range [][]int64{{0, total}, {0, 7, 50_000, 100_001, total}} {
				var column []colstore.Column
				for i := range len(starts) - 1 {
					column = append(column, whole.Slice(int(starts[i]), int(starts[i+1]), 1))
				}
				runs, dst := kernel.NewRuns(starts), fence(len(want), 3)
				if bad := runs.Gather(dst.data, column, rows); bad >= 0 || !bytes.Equal(dst.data, want) || !dst.intact() {
					t.Fatalf("size %d, back %v, %d runs: bad %d", size, back, len(column), bad)
				}
				some := slices.Clone(rows)
				some[5001] = total
				if bad := runs.Gather(dst.data, column, some); bad != 5001 {
					t.Fatalf("size %d, %d runs: bad row at %d, want 5001", size, len(column), bad)
				}
			}
		}
	}
}
