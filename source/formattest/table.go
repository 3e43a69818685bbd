package formattest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// everyType returns the dtypes that are tried: all, text and bytes in several widths.
func everyType() []colstore.DType {
	return append(format.DTypes(6), colstore.BytesOf(1), colstore.TextOf(1), colstore.TextOf(40))
}

// table returns a batch of the first of the suite's dtypes, all of them if there are fewer than columns. Every third column
// is big-endian, every fourth repeats one value.
func (s *suite) table(seed uint64, rows, columns int) *colstore.Batch {
	types := s.DTypes[:min(columns, len(s.DTypes))]
	r := rand.New(rand.NewPCG(seed, 7))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		if i%3 == 1 {
			t = t.Swapped()
		}
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d", i), Type: t}
		cols[i] = s.column(t, rows, r)
		if i%4 == 3 && rows > 0 {
			p, n, _ := cols[i].Raw()
			cols[i] = colstore.RawColumn(t, n, 0, p)
		}
	}
	return must(colstore.NewBatch(colstore.MustSchema(fields...), cols...))
}

// narrow returns a batch of a few columns, text among them: enough for what is repeated often.
func (s *suite) narrow(seed uint64, rows int) *colstore.Batch {
	few := *s
	few.DTypes = nil
	for i, t := range s.DTypes {
		if i < 2 || t.Kind() == colstore.KindText || i == len(s.DTypes)-1 {
			few.DTypes = append(few.DTypes, t)
		}
	}
	return few.table(seed, rows, 5)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // a bug of the suite itself
	}
	return v
}

// column returns values that the format can hold.
func (s *suite) column(t colstore.DType, rows int, r *rand.Rand) colstore.Column {
	data := make([]byte, rows*t.Size())
	for at := 0; at < len(data); at += t.Size() {
		s.value(data[at:at+t.Size()], t.Native(), r)
	}
	if t.BigEndian() {
		swap(data, t)
	}
	return must(colstore.NewColumn(t, rows, data))
}

// swap reverses the order of the bytes of numbers and of code points.
func swap(data []byte, t colstore.DType) {
	word := t.Size()
	if t.Kind() == colstore.KindText {
		word = 4
	}
	for at := 0; at < len(data); at += word {
		for i, j := at, at+word-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
}

// letters are what text is made of. All of them, and their order, survive in text formats too.
var letters = []rune("abcdefXYZ019 é€😀,;\"'\\/<\n\t{}[]:#")

// value fills in one value in native byte order.
func (s *suite) value(v []byte, t colstore.DType, r *rand.Rand) {
	switch {
	case t.Kind() == colstore.KindBool:
		v[0] = byte(r.IntN(2))
	case t.Kind() == colstore.KindText:
		for k := range r.IntN(t.Width() + 1) {
			c := letters[r.IntN(len(letters))]
			binary.LittleEndian.PutUint32(v[4*k:], uint32(c))
		}
	case t.Kind() == colstore.KindBytes && s.Text:
		for k := range r.IntN(t.Width() + 1) {
			v[k] = byte('a' + r.IntN(26))
		}
	case t.Kind() == colstore.KindFloat && r.IntN(4) == 0:
		special := [...]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1.5, math.SmallestNonzeroFloat64, math.MaxFloat64, 1. / 3}
		putFloat(v, special[r.IntN(len(special))])
	case t.IsTime():
		// Within what any calendar and any unit's neighbours hold.
		ticks := r.Int64N(3_001) - 1_500
		if r.IntN(6) == 0 {
			ticks = colstore.NaT
		}
		binary.LittleEndian.PutUint64(v, uint64(ticks))
	default:
		for i := range v {
			v[i] = byte(r.Uint32())
		}
		if r.IntN(8) == 0 { // an extreme integer
			for i := range v {
				v[i] = 0xff
			}
			if t.Kind() == colstore.KindInt {
				v[len(v)-1] = 0x7f
			}
		}
	}
}

func putFloat(v []byte, x float64) {
	switch len(v) {
	case 2:
		// The sign, and whether it is zero, one, infinite or NaN, are all that binary16 has of these.
		h := uint16(math.Float64bits(x)>>48) & 0x8000
		switch {
		case math.IsNaN(x):
			h |= 0x7e00
		case math.IsInf(x, 0):
			h |= 0x7c00
		case x != 0:
			h |= 0x3c00
		}
		binary.LittleEndian.PutUint16(v, h)
	case 4:
		binary.LittleEndian.PutUint32(v, math.Float32bits(float32(x)))
	default:
		binary.LittleEndian.PutUint64(v, math.Float64bits(x))
	}
}

// same demands the same schema, apart from byte order, and the same values.
func (s *suite) same(t testing.TB, what string, got, want *colstore.Batch) bool {
	t.Helper()
	if d := s.difference(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
		return false
	}
	return true
}

// difference tells the first difference of two tables, empty if there is none.
func (s *suite) difference(got, want *colstore.Batch) string {
	if got.Schema().Len() != want.Schema().Len() || got.Rows() != want.Rows() {
		return fmt.Sprintf("%d rows of %v, want %d rows of %v", got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i, f := range want.Schema().All() {
		g := got.Schema().Field(i)
		if g.Name != f.Name || g.Type.Native() != f.Type.Native() {
			return fmt.Sprintf("column %d is %q of %s, want %q of %s", i, g.Name, g.Type.Name(), f.Name, f.Type.Name())
		}
		a, b := got.At(i).Copy(), want.At(i).Copy()
		for row := range b.Rows() {
			if x, y := a.At(row), b.At(row); !bytes.Equal(x, y) && !(s.Text && isNaN(f.Type, x) && isNaN(f.Type, y)) {
				return fmt.Sprintf("column %q of %s, row %d: %x, want %x", f.Name, f.Type.Name(), row, x, y)
			}
		}
	}
	return ""
}

// isNaN reports whether the little-endian bytes of a value are a NaN.
func isNaN(t colstore.DType, v []byte) bool {
	if t.Kind() != colstore.KindFloat {
		return false
	}
	switch len(v) {
	case 2:
		h := binary.LittleEndian.Uint16(v)
		return h&0x7c00 == 0x7c00 && h&0x3ff != 0
	case 4:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(v))))
	default:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(v)))
	}
}
