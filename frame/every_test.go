package frame_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// everyType returns a batch with a column of each kind of dtype, whose bytes are extreme: zeros, ones, the least and the
// largest numbers, NaN, code points that are none.
func everyType(tb testing.TB) *colstore.Batch {
	tb.Helper()
	var fields []colstore.Field
	var cols []colstore.Column
	for _, code := range []string{
		"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
		"M8[Y]", "M8[W]", "M8[D]", "M8[s]", "M8[as]", "m8[M]", "m8[D]", "m8[ns]", "S1", "S9", "U1", "U3",
	} {
		t, err := colstore.ParseDType(code)
		if err != nil {
			tb.Fatal(err)
		}
		size := t.Size()
		data := make([]byte, 6*size)
		for i := range size {
			data[size+i] = 0xff                // -1, NaN
			data[2*size+i] = 0x7f              // large
			data[4*size+i] = byte(i%4/3) * 'A' // small
			data[5*size+i] = byte('a' * (1 - min(1, i%4)))
		}
		data[4*size-1] = 0x80 // the least integer, NaT, -0
		if t == colstore.Bool {
			data = []byte{0, 1, 1, 0, 1, 0}
		}
		c, err := colstore.NewColumn(t, 6, data)
		if err != nil {
			tb.Fatal(err)
		}
		fields, cols = append(fields, colstore.Field{Name: code, Type: t}), append(cols, c)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestEveryFunctionOnEveryType computes each function on all operands there can be: it answers or refuses, and never
// panics.
func TestEveryFunctionOnEveryType(t *testing.T) {
	t.Parallel()
	batch := everyType(t)
	src := source.Memory(batch)
	var operands []any
	for _, name := range batch.Schema().Names() {
		operands = append(operands, frame.Col(name))
	}
	operands = append(operands, 0, -1, 300, new(big.Int).Lsh(big.NewInt(1), 63), new(big.Int).Lsh(big.NewInt(1), 70),
		0.5, math.NaN(), true, "", "a", "é\x00b", []byte("a\xff"), nil,
		colstore.TimeScalar(colstore.DatetimeOf(colstore.Day), colstore.NaT), colstore.ScalarOf(int8(3)), colstore.ScalarOf(float32(0.1)))
	check := func(name string, args ...any) {
		e := frame.Call(name, args...)
		f := frame.From(src).Assign("out", e).Select("out")
		err := f.Err()
		if err == nil {
			_, err = f.Collect(t.Context())
		}
		if _, isRow := errors.AsType[*colstore.Error](err); err != nil && !isQueryError(err) && !isRow {
			t.Errorf("%s: %v is no error of a query or a value", e, err)
		}
	}
	for _, name := range ops.Names() {
		f, _ := ops.Lookup(name)
		for n := f.MinArgs; n <= f.MaxArgs; n++ {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				for i, a := range operands {
					switch n {
					case 1:
						check(name, a)
					case 2:
						for _, b := range operands {
							check(name, a, b)
						}
					default:
						for j, b := range operands {
							check(name, a, b, operands[(7*i+3*j)%len(operands)])
						}
					}
				}
			})
		}
	}
}

// TestWideValues computes values so wide that a chunk holds few rows, and refuses those that would not fit memory.
func TestWideValues(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	want, err := evaluate(t.Context(), frame.From(src).Where(frame.MustParse("i4 > 0")).Assign("x", frame.MustParse("length(astype(i4, 'S20'))")), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []string{"3000", "100000", "3000000", "5000000"} {
		e := frame.MustParse("length(astype(i4, 'S" + width + "'))")
		cut := frame.MustParse("startswith(astype(i4, 'S" + width + "'), '-') == False and i4 != 0")
		got, err := evaluate(t.Context(), frame.From(src).Where(cut).Assign("x", e), "x", 7)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(canonical(got), canonical(want)) {
			t.Errorf("S%s: other lengths", width)
		}
	}
	f := frame.From(src).Assign("x", frame.MustParse("length(astype(i4, 'S1000000000'))"))
	if _, err := f.Collect(t.Context()); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("%v", err)
	}
}

// FuzzQuery looks for text that makes parsing, binding or evaluating panic.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		"sqrt(f8) > 1 and b1", "i4 in [1, -2, 0x10] or not (0 < u8 <= 2 ** 63)", "`M8[D]` - `M8[s]` < `m8[ns]` * 2",
		"startswith(upper(U3), 'A') and contains(S9, b'a')", "where(isnan(f4), f2, f8) // i1 % 3 != 0", "year(`M8[as]`) == weekday(date(`M8[Y]`))",
		"astype(i8, 'S') + astype(f8, 'S') == '1'", "clip(i2, -1, 2.5) == @p", "isin(U1, ['a', 3]) ^ b1 & ~b1", "-2 ** -u1 < lcm(i1, 300)",
	} {
		f.Add(q)
	}
	batch := everyType(f)
	f.Fuzz(func(t *testing.T, q string) {
		e, err := frame.Parse(q, frame.Params{"p": 1.5})
		if err != nil {
			return
		}
		for _, fr := range []*frame.Frame{frame.From(source.Memory(batch)).Where(e), frame.From(source.Memory(batch)).Assign("out", e)} {
			if fr.Err() == nil {
				_, _ = fr.Collect(t.Context()) // values may be refused
			}
		}
	})
}
