package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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
	const rows = 4 << 20
	values := make([]float64, rows)
	r := rand.New(rand.NewPCG(11, 12))
	pick := make([]int64, rows/100)
	for i := range pick {
		pick[i] = r.Int64N(rows)
	}
	dst := make([]byte, 8*len(pick))
	for _, records := range []int{1, 64, 1024} {
		var column []colstore.Column
		starts := []int64{0}
		for i := range records {
			begin, end := i*rows/records, (i+1)*rows/records
			column = append(column, colstore.Wrap(values[begin:end]))
			starts = append(starts, int64(end))
		}
		runs := kernel.NewRuns(starts)
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				runs.Gather(dst, column, pick)
			}
		})
	}
}

func firstOf(c colstore.Column) unsafe.Pointer {
	data, _, _ := c.Raw()
	return data
}
