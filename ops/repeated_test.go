package ops_test

import (
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// Columns that repeat a value, as a file has of a column that it lacks, may be all that a function is of.
func TestRepeatedColumns(t *testing.T) {
	const rows = 5
	values := [3]float64{3, 4, 5}
	var cols [3]colstore.Column
	for i := range values {
		cols[i] = colstore.RawColumn(colstore.Float64, rows, 0, unsafe.Pointer(&values[i]))
	}
	check := func(name string, k ops.Kernel, want float64, args ...colstore.Column) {
		t.Helper()
		out := make([]float64, rows)
		if err := k(colstore.RawColumn(colstore.Float64, rows, 8, unsafe.Pointer(&out[0])), args); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if v != want {
				t.Errorf("%s: row %d is %v, want %v", name, i, v, want)
			}
		}
	}
	check("a*b+c", ops.Fuse("add", "multiply", false, colstore.Float64), 17, cols[0], cols[1], cols[2])
	check("c-a*b", ops.Fuse("subtract", "multiply", true, colstore.Float64), -7, cols[0], cols[1], cols[2])
	check("a*a+b*b", ops.FuseSquares(false, colstore.Float64), 25, cols[0], cols[1])
	for name, want := range map[string]float64{"add": 7, "subtract": -1, "multiply": 12, "divide": .75, "maximum": 4, "power": 81} {
		f, ok := ops.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		o, err := f.Resolve([]ops.Operand{ops.Typed(colstore.Float64), ops.Typed(colstore.Float64)})
		if err != nil {
			t.Fatal(err)
		}
		check(name, o.Kernel, want, cols[0], cols[1])
	}
	f, _ := ops.Lookup("less")
	o, err := f.Resolve([]ops.Operand{ops.Typed(colstore.Float64), ops.Typed(colstore.Float64)})
	if err != nil {
		t.Fatal(err)
	}
	bits := make([]uint64, 1)
	if err := o.Test(bits, cols[:2], rows); err != nil || bits[0] != 1<<rows-1 {
		t.Errorf("less: %b, %v", bits[0], err)
	}
}
