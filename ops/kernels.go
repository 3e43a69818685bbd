package ops

import (
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/kernel"
)

// A byNumber holds one function's loop for each number type; nil where it has none.
type byNumber[F Kernel | Test] struct {
	i1, i2, i4, i8 F
	u1, u2, u4, u8 F
	f2, f4, f8     F
}

// A family holds one function's kernels. A testFamily holds one comparison's tests; bools are compared as integers.
type (
	family     = byNumber[Kernel]
	testFamily = byNumber[Test]
)

// of returns the loop for a number dtype, nil for bool and for what there is none of.
func (f *byNumber[F]) of(t colstore.DType) F {
	switch t {
	case colstore.Int8:
		return f.i1
	case colstore.Int16:
		return f.i2
	case colstore.Int32:
		return f.i4
	case colstore.Int64:
		return f.i8
	case colstore.Uint8:
		return f.u1
	case colstore.Uint16:
		return f.u2
	case colstore.Uint32:
		return f.u4
	case colstore.Uint64:
		return f.u8
	case colstore.Float16:
		return f.f2
	case colstore.Float32:
		return f.f4
	case colstore.Float64:
		return f.f8
	}
	return nil
}

// unaryFloats makes a function's kernels from its loops for float32, in which float16 is computed too, and float64.
func unaryFloats(f4 func(dst, a []float32), f8 func(dst, a []float64)) family {
	return family{f2: halfUnary(f4), f4: unary(f4), f8: unary(f8)}
}

// binaryFloats is [unaryFloats] for two arguments.
func binaryFloats(f4 func(dst, a, b []float32), f8 func(dst, a, b []float64)) family {
	return family{f2: halfBinary(f4), f4: binary(f4), f8: binary(f8)}
}

// unary turns a loop over slices into a kernel; [binary] likewise.
func unary[D, S kernel.Number](f func(dst []D, a []S)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		f(kernel.Out[D](dst), whole[S](args[0]))
		return nil
	}
}

// whole returns all values of a column, also if it repeats one: for loops that know no repeated operand. The evaluator
// folds functions of constants before it runs, so this is a rare and small buffer.
func whole[T kernel.Number](c colstore.Column) []T {
	if c.Stride() != 0 || c.Rows() <= 1 {
		return kernel.In[T](c)
	}
	out := make([]T, c.Rows())
	v := kernel.In[T](c)[0]
	for i := range out {
		out[i] = v
	}
	return out
}

// pair returns the values of two columns, of which no more than one repeats its value: the loops know no two of those.
func pair[T kernel.Number](x, y colstore.Column) (a, b []T) {
	if x.Stride() == 0 && y.Stride() == 0 {
		return whole[T](x), kernel.In[T](y)
	}
	return kernel.In[T](x), kernel.In[T](y)
}

func binary[T kernel.Number](f func(dst, a, b []T)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		a, b := pair[T](args[0], args[1])
		f(kernel.Out[T](dst), a, b)
		return nil
	}
}

func test[T kernel.Number](f func(dst []uint64, a, b []T, n int)) Test {
	return func(dst []uint64, args []colstore.Column, rows int) error {
		a, b := pair[T](args[0], args[1])
		f(dst, a, b, rows)
		return nil
	}
}

// repeats is the step through an operand: 0 if it is one value for several rows.
func repeats[T kernel.Number](v, dst []T) int {
	if len(v) == 1 && len(dst) != 1 {
		return 0
	}
	return 1
}

// halfBuffers are the widened values of one call. They come from a pool, since what a function is called with that is not
// known here would be on the heap every time.
type halfBuffers struct{ x, y, z [halfRows]float32 }

var halfPool = sync.Pool{New: func() any { return new(halfBuffers) }}

// halfRows is how many float16 values are widened at a time: a multiple of 64, for bitmaps.
const halfRows = 128

// halfUnary computes float16 in float32, as NumPy does: every operation rounds its result once more.
func halfUnary(f func(dst, a []float32)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		b := halfPool.Get().(*halfBuffers)
		defer halfPool.Put(b)
		x, y := &b.x, &b.y
		out, in := kernel.Out[uint16](dst), whole[uint16](args[0])
		for at := 0; at < len(out); at += halfRows {
			n := min(halfRows, len(out)-at)
			kernel.FromHalf(x[:n], in[at:at+n])
			f(y[:n], x[:n])
			kernel.ToHalf(out[at:at+n], y[:n])
		}
		return nil
	}
}

func halfBinary(f func(dst, a, b []float32)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		buf := halfPool.Get().(*halfBuffers)
		defer halfPool.Put(buf)
		x, y, z := &buf.x, &buf.y, &buf.z
		out := kernel.Out[uint16](dst)
		a, b := pair[uint16](args[0], args[1])
		for at := 0; at < len(out); at += halfRows {
			n := min(halfRows, len(out)-at)
			f(z[:n], widened(x[:], a, at, n), widened(y[:], b, at, n))
			kernel.ToHalf(out[at:at+n], z[:n])
		}
		return nil
	}
}

// halfTest compares float16 in float32, which holds all of its values.
func halfTest(f func(dst []uint64, a, b []float32, n int)) Test {
	return func(dst []uint64, args []colstore.Column, rows int) error {
		buf := halfPool.Get().(*halfBuffers)
		defer halfPool.Put(buf)
		x, y := &buf.x, &buf.y
		a, b := pair[uint16](args[0], args[1])
		for at := 0; at < rows; at += halfRows {
			n := min(halfRows, rows-at)
			f(dst[at/64:][:kernel.Words(n)], widened(x[:], a, at, n), widened(y[:], b, at, n), n)
		}
		return nil
	}
}

// widened returns rows at to at+n of v in buf, or its one value if it repeats that.
func widened(buf []float32, v []uint16, at, n int) []float32 {
	if len(v) == 1 {
		buf[0] = half.To32(v[0])
		return buf[:1]
	}
	kernel.FromHalf(buf[:n], v[at:at+n])
	return buf[:n]
}
