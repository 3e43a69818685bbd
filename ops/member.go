package ops

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// fewMembers is up to how many members a scan of the list beats a hash set.
const fewMembers = 8

// Member resolves "x in members". Members are literals (bool, *big.Int, float64, string, []byte, None) and
// [colstore.Scalar] values. They convert as a whole: beside text, numbers become their decimal text; beside floats,
// integers become floats. Floats adapt to a float column as a lone literal does. None and NaN match nothing, nor do
// integers that the column's type does not hold.
//
// Errors: colstore.ErrType where the kinds do not compare.
func Member(left Operand, members []any) (Overload, error) {
	if left.Lit != nil {
		t, err := left.DefaultType()
		if err != nil {
			return Overload{}, err
		}
		left = Typed(t)
	}
	var kept []any
	for _, m := range members {
		if _, none := m.(None); !none {
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 {
		return always(false), nil
	}
	switch t := left.Type; {
	case t.IsString():
		return memberText(t, kept)
	case t.IsTime():
		return memberTime(t, kept)
	default:
		return memberNumber(t, kept)
	}
}

func badMember(t colstore.DType, m any, why string) error {
	o, ok := m.(colstore.Scalar)
	name := ""
	if ok {
		name = "a " + o.Type().Name()
	} else {
		name = Operand{Lit: m}.name()
	}
	if why != "" {
		why = "; " + why
	}
	return fmt.Errorf("%w: in has no meaning for %s and %s%s", colstore.ErrType, t.Name(), name, why)
}

func memberText(t colstore.DType, members []any) (Overload, error) {
	unit := unitOf(t)
	hasText := false
	for _, m := range members {
		switch v := m.(type) {
		case string, []byte:
			hasText = true
		case colstore.Scalar:
			hasText = hasText || v.Type().IsString()
		}
	}
	set := map[string]struct{}{}
	var cells []colstore.Column
	for _, m := range members {
		if v, ok := m.(colstore.Scalar); ok {
			m = string(text.AppendPlain(nil, v.Cell(), 0))
			if !hasText {
				return Overload{}, badMember(t, v, "text compares with text only")
			}
		}
		switch v := m.(type) {
		case string, []byte:
		case float64:
			m = string(text.AppendFloat(nil, v, 64))
		case *big.Int:
			m = v.String()
		case bool:
			m = map[bool]string{true: "True", false: "False"}[v]
		}
		if !hasText {
			return Overload{}, badMember(t, members[0], "text compares with text only")
		}
		width := colstore.TextOf(0)
		if unit == 1 {
			width = colstore.BytesOf(0)
		}
		s, err := Constant(m, width)
		if err != nil {
			return Overload{}, err
		}
		set[string(kernel.TrimPadding(s.Cell().At(0), unit))] = struct{}{}
		cells = append(cells, s.Cell())
	}
	size := t.Size()
	in := memberTextRange(cells)
	if len(set) <= fewMembers {
		o := fewStrings(t, slices.Sorted(maps.Keys(set)))
		o.Range = in
		return o, nil
	}
	return Overload{Args: []colstore.DType{t}, Result: colstore.Bool, Range: in, Test: func(dst []uint64, args []colstore.Column, rows int) error {
		kernel.MemberOfStrings(dst, kernel.RawIn(args[0]), size, unit, rows, set)
		return nil
	}}, nil
}

// fewStrings compares with one member after the other. Members have no padding.
func fewStrings(t colstore.DType, members []string) Overload {
	size := t.Size()
	var padded [][]byte
	for _, m := range members {
		if len(m) > size {
			continue // longer than any value
		}
		v := make([]byte, size)
		copy(v, m)
		padded = append(padded, v)
	}
	return Overload{Args: []colstore.DType{t}, Result: colstore.Bool, Test: func(dst []uint64, args []colstore.Column, rows int) error {
		var buf [maxChunkWords]uint64
		bits := buf[:len(dst)]
		clear(dst)
		for _, m := range padded {
			kernel.EqualStrings(bits, kernel.RawIn(args[0]), size, m, size, rows)
			kernel.Or(dst, dst, bits)
		}
		return nil
	}}
}

func memberTime(t colstore.DType, members []any) (Overload, error) {
	unit := t.Unit()
	for _, m := range members {
		switch v := m.(type) {
		case colstore.Scalar:
			if v.Type().Kind() != t.Kind() || calendar.IsCalendar(v.Type().Unit()) != calendar.IsCalendar(t.Unit()) && t.Kind() == colstore.KindTimedelta {
				return Overload{}, badMember(t, m, "")
			}
			unit = calendar.Finer(unit, v.Type().Unit())
		case *big.Int:
			if t.Kind() == colstore.KindDatetime {
				return Overload{}, badMember(t, m, "")
			}
		default:
			return Overload{}, badMember(t, m, "text is not read as a time; pass typed parameters")
		}
	}
	wide := colstore.DatetimeOf(unit)
	if t.Kind() == colstore.KindTimedelta {
		wide = colstore.TimedeltaOf(unit)
	}
	var ticks []int64
	for _, m := range members {
		s, ok := m.(colstore.Scalar)
		if !ok { // ticks in the column's own unit
			var err error
			if s, err = Constant(m, t); err != nil {
				return Overload{}, err
			}
		}
		v, err := colstore.CopyOf[int64](s.Cell())
		if err != nil {
			return Overload{}, err
		}
		if tick := calendar.Converter(t.Kind(), s.Type().Unit(), unit)(v[0]); tick != colstore.NaT {
			ticks = append(ticks, tick)
		}
	}
	return memberTest(wide, ticks), nil
}

func memberNumber(t colstore.DType, members []any) (Overload, error) {
	wide, floats := t, false
	for _, m := range members {
		switch v := m.(type) {
		case bool, *big.Int:
		case float64:
			floats = true
		case colstore.Scalar:
			p, ok := Promote(wide, v.Type())
			if !ok {
				return Overload{}, badMember(t, m, "")
			}
			if !mixed([]Operand{Typed(wide), Typed(v.Type())}) {
				wide = p
			}
			floats = floats || v.Type().Kind() == colstore.KindFloat
		default:
			return Overload{}, badMember(t, m, "write numbers without quotes")
		}
	}
	if floats && wide.Kind() != colstore.KindFloat {
		wide = colstore.Float64
	}
	if wide == colstore.Bool {
		wide = colstore.Uint8
	}
	if wide.Kind() == colstore.KindFloat {
		return memberFloat(wide, members)
	}
	// Integers, exactly: a member that the type does not hold is in no row.
	var values []*big.Int
	for _, m := range members {
		v := integerOf(m)
		if fits(v, wide) {
			values = append(values, v)
		}
	}
	if wide.Kind() == colstore.KindUint {
		out := make([]uint64, len(values))
		for i, v := range values {
			out[i] = v.Uint64()
		}
		return memberTest(colstore.Uint64, out), nil
	}
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = v.Int64()
	}
	return memberTest(colstore.Int64, out), nil
}

func integerOf(m any) *big.Int {
	switch v := m.(type) {
	case *big.Int:
		return v
	case bool:
		if v {
			return big.NewInt(1)
		}
	case colstore.Scalar:
		raw := v.Cell().At(0)
		if k := v.Type().Kind(); k == colstore.KindInt {
			return big.NewInt(text.Int(v.Type(), raw))
		}
		return new(big.Int).SetUint64(text.Uint(v.Type(), raw))
	}
	return new(big.Int)
}

func memberFloat(t colstore.DType, members []any) (Overload, error) {
	wide := t
	if t == colstore.Float16 {
		wide = colstore.Float32
	}
	var values []float64
	for _, m := range members {
		if v, ok := m.(colstore.Scalar); ok {
			if v.Type().Kind() == colstore.KindFloat {
				values = append(values, text.Float(v.Type(), v.Cell().At(0)))
				continue
			}
			m = integerOf(v)
		}
		s, err := Constant(m, t)
		if err != nil {
			continue // beyond the floats: in no row
		}
		values = append(values, text.Float(t, s.Cell().At(0)))
	}
	if wide == colstore.Float32 {
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		return memberTest(wide, narrow), nil
	}
	return memberTest(wide, values), nil
}

// memberTest returns the test for values in t, the dtype that T reads.
func memberTest[T kernel.Number](t colstore.DType, members []T) Overload {
	if len(members) == 0 {
		return always(false)
	}
	o := Overload{Args: []colstore.DType{t}, Result: colstore.Bool, Range: memberRange(members)}
	if len(members) <= fewMembers {
		o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.Member(dst, kernel.In[T](args[0]), rows, members)
			return nil
		}
		return o
	}
	set := make(map[T]struct{}, len(members))
	for _, m := range members {
		set[m] = struct{}{}
	}
	o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
		kernel.MemberOf(dst, kernel.In[T](args[0]), rows, set)
		return nil
	}
	return o
}
