package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
)

// form is how an Arrow value becomes one of a dtype.
type form uint8

const (
	formCopy  form = iota // the same bytes
	formBool              // a bit, to a byte
	formDate              // 32 bits of days, to 64
	formBytes             // bytes of any length, to S
	formText              // UTF-8, to U
)

// A column is a column of an Arrow schema, with what its type says.
type column struct {
	field    int // its place in the schema
	name     string
	nullable bool

	form    form
	typ     colstore.DType // text and bytes of variable length have width 0
	refused error          // why there is no dtype for it
	nested  bool           // refused even if there is no value
	untyped bool           // its type has no values at all
	keyed   bool           // the schema's metadata hold its dtype
}

// setType finds dtype and form of a column by its Arrow type.
func (c *column) setType(t arrow.DataType) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		c.setType(t.ValueType)
	case arrow.ExtensionType:
		c.setType(t.StorageType())
	case *arrow.FixedSizeBinaryType:
		if c.typ = colstore.BytesOf(t.ByteWidth); !c.typ.Valid() {
			c.refuse(fmt.Sprintf("values of %d bytes", t.ByteWidth), "")
		}
	case *arrow.TimestampType:
		c.typ = colstore.DatetimeOf(dtypeUnit(t.Unit))
		if t.TimeZone != "" {
			c.refuse(fmt.Sprintf("timestamps of a time zone (%s), and a dtype has none", t), "convert it to timestamps without a zone first")
		}
	case *arrow.DurationType:
		c.typ = colstore.TimedeltaOf(dtypeUnit(t.Unit))
	case arrow.NestedType, *arrow.RunEndEncodedType:
		c.nested = true
		c.refuse(fmt.Sprintf("nested values (%s), and a column has one value a row", t), "flatten it first")
	default:
		c.setSimple(t)
	}
}

// setSimple is setType for types without parameters.
func (c *column) setSimple(t arrow.DataType) {
	c.form = formCopy
	switch id := t.ID(); id {
	case arrow.BOOL:
		c.typ, c.form = colstore.Bool, formBool
	case arrow.DATE32:
		c.typ, c.form = colstore.DatetimeOf(colstore.Day), formDate
	case arrow.DATE64:
		c.typ = colstore.DatetimeOf(colstore.Millisecond)
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		c.typ, c.form = colstore.TextOf(0), formText
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		c.typ, c.form = colstore.BytesOf(0), formBytes
	case arrow.NULL:
		c.untyped = true
		c.refuse("nothing (Arrow's null type)", "")
	default:
		for dtype, number := range numberTypes {
			if number.ID() == id {
				c.typ = dtype
				return
			}
		}
		c.refuse(fmt.Sprintf("values of type %s, which is no dtype", t), "cast it to a number, text or a timestamp first")
	}
}

func (c *column) refuse(what, remedy string) {
	if remedy != "" {
		remedy = "; " + remedy + " or leave it out with Options.Columns"
	}
	c.refused = fmt.Errorf("%w: it holds %s%s", colstore.ErrType, what, remedy)
}

func dtypeUnit(u arrow.TimeUnit) colstore.Unit {
	for unit, v := range unitTypes {
		if v == u {
			return unit
		}
	}
	return colstore.NoUnit
}

// restore takes the dtype that the schema's metadata give for the column, if the column's type can carry it; else it is
// somebody's leftover and says nothing.
func (c *column) restore(code string) {
	t, err := colstore.ParseCode(code)
	if err != nil || t.BigEndian() || c.refused != nil {
		return
	}
	switch {
	case t == c.typ:
	case c.isVariable() && t.Kind() == c.typ.Kind():
		c.typ = t
	case t.Kind() == colstore.KindTimedelta && c.typ == colstore.Int64: // a duration that went through Parquet
		c.typ = t
	default:
		return
	}
	c.keyed = true
}

// isLong reports whether the values have any length in Arrow.
func (c *column) isLong() bool { return c.form == formBytes || c.form == formText }

// isVariable reports whether no width is settled for text or bytes.
func (c *column) isVariable() bool { return c.typ.IsString() && c.typ.Width() == 0 }
