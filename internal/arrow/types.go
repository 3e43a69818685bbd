package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
)

// typeOf returns the Arrow type of a dtype in either byte order.
func typeOf(d colstore.DType) (arrow.DataType, error) {
	t, err := columnar.TypeOf(d)
	if err != nil {
		return nil, err
	}
	switch t.Kind {
	case columnar.FixedBinary:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.Size}, nil
	case columnar.Text:
		return arrow.BinaryTypes.String, nil
	case columnar.Date32:
		return arrow.FixedWidthTypes.Date32, nil
	case columnar.Timestamp:
		return &arrow.TimestampType{Unit: unitTypes[t.Unit]}, nil
	case columnar.Duration:
		return &arrow.DurationType{Unit: unitTypes[t.Unit]}, nil
	default:
		return numberTypes[d.Native()], nil
	}
}

var numberTypes = map[colstore.DType]arrow.DataType{
	colstore.Bool: arrow.FixedWidthTypes.Boolean,
	colstore.Int8: arrow.PrimitiveTypes.Int8, colstore.Int16: arrow.PrimitiveTypes.Int16,
	colstore.Int32: arrow.PrimitiveTypes.Int32, colstore.Int64: arrow.PrimitiveTypes.Int64,
	colstore.Uint8: arrow.PrimitiveTypes.Uint8, colstore.Uint16: arrow.PrimitiveTypes.Uint16,
	colstore.Uint32: arrow.PrimitiveTypes.Uint32, colstore.Uint64: arrow.PrimitiveTypes.Uint64,
	colstore.Float16: arrow.FixedWidthTypes.Float16, colstore.Float32: arrow.PrimitiveTypes.Float32,
	colstore.Float64: arrow.PrimitiveTypes.Float64,
}

var unitTypes = map[colstore.Unit]arrow.TimeUnit{
	colstore.Second: arrow.Second, colstore.Millisecond: arrow.Millisecond,
	colstore.Microsecond: arrow.Microsecond, colstore.Nanosecond: arrow.Nanosecond,
}

// simple are the types without parameters that are no numbers.
var simple = map[arrow.Type]columnar.Kind{
	arrow.NULL: columnar.Null, arrow.BOOL: columnar.Bool, arrow.DATE32: columnar.Date32, arrow.DATE64: columnar.Date64,
	arrow.STRING: columnar.Text, arrow.LARGE_STRING: columnar.LargeText, arrow.STRING_VIEW: columnar.TextView,
	arrow.BINARY: columnar.Binary, arrow.LARGE_BINARY: columnar.LargeBinary, arrow.BINARY_VIEW: columnar.BinaryView,
}

// describe returns a type without its Go classes. An extension type is what it is stored as.
func describe(t arrow.DataType) columnar.Type {
	name := t.String()
	switch t := t.(type) {
	case *arrow.DictionaryType:
		d := describe(t.ValueType)
		if i := describe(t.IndexType); i.Kind == columnar.Int && d.Index == nil {
			d.Index = &columnar.Index{Size: i.Size, Signed: i.Signed}
			return d
		}
		return columnar.Type{Kind: columnar.Other, Name: name}
	case arrow.ExtensionType:
		return describe(t.StorageType())
	case *arrow.FixedSizeBinaryType:
		return columnar.Type{Kind: columnar.FixedBinary, Size: t.ByteWidth, Name: name}
	case *arrow.TimestampType:
		return columnar.Type{Kind: columnar.Timestamp, Unit: unitOf(t.Unit), Zone: t.TimeZone, Name: name}
	case *arrow.DurationType:
		return columnar.Type{Kind: columnar.Duration, Unit: unitOf(t.Unit), Name: name}
	case arrow.NestedType, *arrow.RunEndEncodedType:
		return columnar.Type{Kind: columnar.Nested, Name: name}
	}
	if kind, ok := simple[t.ID()]; ok {
		return columnar.Type{Kind: kind, Name: name}
	}
	for dtype, number := range numberTypes {
		if number.ID() == t.ID() {
			d, _ := columnar.TypeOf(dtype) // there is one for every number
			d.Name = name
			return d
		}
	}
	return columnar.Type{Kind: columnar.Other, Name: name}
}

func unitOf(u arrow.TimeUnit) colstore.Unit {
	for unit, v := range unitTypes {
		if v == u {
			return unit
		}
	}
	return colstore.NoUnit
}
