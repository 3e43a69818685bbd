package parquet

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// form is how a physical value becomes one of a dtype.
type form uint8

const (
	formCopy form = iota // the same bytes
	formBool             // a bit or a byte, to a byte
	formInt8             // 32 bits to 8, which must hold the value; likewise the next three
	formUint8
	formInt16
	formUint16
	formDate    // 32 bits of days to 64
	formSeconds // milliseconds to seconds, which must come out even
	formNanos   // INT96 to nanoseconds
	formMicros  // INT96 to microseconds
	formBytes   // a byte array to S
	formText    // a byte array of UTF-8 to U
)

// A column is a flat column of a file, with what its type in the file says.
type column struct {
	name   string
	leaf   int         // its place in every row group
	maxDef int         // the definition level of a value that is there; 0 if none can miss
	list   *listLevels // of a list, whose values these are
	at     int         // the place of these values in a row of the list, or what else format.Unfold says

	physical  meta.Type
	width     int // bytes of a physical value; 0 for BYTE_ARRAY and BOOLEAN
	form      form
	typ       colstore.DType // text and bytes of variable length have width 0
	refused   error          // why there is no dtype for it
	keyed     bool           // the file's metadata hold its dtype
	unknown   bool           // its type in the file has no values at all
	orderless bool           // the order of its values is not defined, so that bounds mean nothing
}

// setType finds dtype and form of a column by its element.
func (c *column) setType(e *meta.Element) {
	c.physical = e.Type
	switch e.Type {
	case meta.Boolean:
		c.typ, c.form = colstore.Bool, formBool
	case meta.Int32:
		c.width = 4
		c.setInt32(e)
	case meta.Int64:
		c.width = 8
		c.setInt64(e)
	case meta.Int96:
		c.width, c.typ, c.form = 12, colstore.DatetimeOf(colstore.Nanosecond), formNanos
		c.orderless = true
	case meta.Float:
		c.width, c.typ = 4, colstore.Float32
	case meta.Double:
		c.width, c.typ = 8, colstore.Float64
	case meta.ByteArray:
		c.setByteArray(e)
	case meta.FixedLenByteArray:
		c.setFixed(e)
	default:
		c.refuse("a physical type that does not exist")
	}
	if c.unknown = e.Logical.Kind == meta.KindUnknown; c.unknown {
		c.refuse("values in a column whose type (UNKNOWN) has none")
	}
	if isDecimal(e) {
		c.refuse("DECIMAL numbers; cast to double or integer where the file is written")
	}
}

func (c *column) refuse(what string) {
	c.refused = fmt.Errorf("%w: it holds %s", colstore.ErrType, what)
}

func isDecimal(e *meta.Element) bool {
	return e.Logical.Kind == meta.KindDecimal || e.Logical.Kind == meta.KindNone && e.Converted == meta.ConvertedDecimal
}

func (c *column) setInt32(e *meta.Element) {
	c.typ = colstore.Int32
	bits, signed := integer(e)
	switch {
	case bits == 8 && signed:
		c.typ, c.form = colstore.Int8, formInt8
	case bits == 8:
		c.typ, c.form = colstore.Uint8, formUint8
	case bits == 16 && signed:
		c.typ, c.form = colstore.Int16, formInt16
	case bits == 16:
		c.typ, c.form = colstore.Uint16, formUint16
	case bits == 32 && !signed:
		c.typ = colstore.Uint32
	case e.Logical.Kind == meta.KindDate || e.Converted == meta.ConvertedDate:
		c.typ, c.form = colstore.DatetimeOf(colstore.Day), formDate
	case e.Logical.Kind == meta.KindTime || e.Converted == meta.ConvertedTimeMillis:
		c.refuse("times of day (TIME); store them as a number or a duration where the file is written")
	}
}

func (c *column) setInt64(e *meta.Element) {
	c.typ = colstore.Int64
	bits, signed := integer(e)
	switch {
	case bits == 64 && !signed:
		c.typ = colstore.Uint64
	case e.Logical.Kind == meta.KindTime || e.Converted == meta.ConvertedTimeMicros:
		c.refuse("times of day (TIME); store them as a number or a duration where the file is written")
	case e.Logical.Kind == meta.KindTimestamp:
		unit, ok := units[e.Logical.Unit]
		switch {
		case !ok:
			c.refuse("timestamps of an unknown unit")
		case e.Logical.UTC:
			c.typ = colstore.DatetimeOf(unit)
			c.refuse("timestamps that are adjusted to UTC (a zone-aware type), and a dtype has no zone; " +
				"convert to timestamps without a zone where the file is written")
		default:
			c.typ = colstore.DatetimeOf(unit)
		}
	// The old form says nothing of zones. The specification takes it for adjusted to UTC, the readers in use do not.
	case e.Logical.Kind == meta.KindNone && e.Converted == meta.ConvertedTimestampMillis:
		c.typ = colstore.DatetimeOf(colstore.Millisecond)
	case e.Logical.Kind == meta.KindNone && e.Converted == meta.ConvertedTimestampMicros:
		c.typ = colstore.DatetimeOf(colstore.Microsecond)
	}
}

func (c *column) setByteArray(e *meta.Element) {
	c.typ, c.form = colstore.BytesOf(0), formBytes
	switch e.Logical.Kind {
	case meta.KindString, meta.KindEnum, meta.KindJSON:
		c.typ, c.form = colstore.TextOf(0), formText
	case meta.KindNone:
		switch e.Converted {
		case meta.ConvertedUTF8, meta.ConvertedEnum, meta.ConvertedJSON:
			c.typ, c.form = colstore.TextOf(0), formText
		}
	}
}

func (c *column) setFixed(e *meta.Element) {
	c.width, c.typ = int(e.Length), colstore.BytesOf(int(e.Length))
	c.orderless = e.Converted == meta.ConvertedInterval
	switch {
	case e.Length <= 0 || !c.typ.Valid():
		c.width = 0
		c.refuse(fmt.Sprintf("values of %d bytes", e.Length))
	case e.Logical.Kind == meta.KindFloat16 && e.Length == 2:
		c.typ = colstore.Float16
	}
}

// integer returns the parameters of an integer type; 0 bits if it is none.
func integer(e *meta.Element) (bits int8, signed bool) {
	if e.Logical.Kind == meta.KindInteger {
		return e.Logical.Bits, e.Logical.Signed
	}
	if e.Logical.Kind != meta.KindNone {
		return 0, false
	}
	switch e.Converted {
	case meta.ConvertedInt8:
		return 8, true
	case meta.ConvertedInt16:
		return 16, true
	case meta.ConvertedInt32:
		return 32, true
	case meta.ConvertedInt64:
		return 64, true
	case meta.ConvertedUint8:
		return 8, false
	case meta.ConvertedUint16:
		return 16, false
	case meta.ConvertedUint32:
		return 32, false
	case meta.ConvertedUint64:
		return 64, false
	}
	return 0, false
}

var units = map[meta.Unit]colstore.Unit{
	meta.Millis: colstore.Millisecond, meta.Micros: colstore.Microsecond, meta.Nanos: colstore.Nanosecond,
}

// restore takes the dtype that the file's metadata give for the column, if the column's type can carry it; else it is
// somebody's leftover and says nothing.
func (c *column) restore(code string) {
	t, err := colstore.ParseCode(code)
	if err != nil || t.BigEndian() || c.refused != nil {
		return
	}
	switch {
	case t == c.typ:
	case c.typ.IsString() && c.typ.Width() == 0 && t.Kind() == c.typ.Kind():
		c.typ = t
	case t == colstore.DatetimeOf(colstore.Second) && c.typ == colstore.DatetimeOf(colstore.Millisecond) && c.form == formCopy:
		c.typ, c.form = t, formSeconds
	case t.Kind() == colstore.KindTimedelta && t.Unit() >= colstore.Second && t.Unit() <= colstore.Nanosecond && c.typ == colstore.Int64:
		c.typ = t
	default:
		return
	}
	c.keyed = true
}

// isVariable reports whether the column's values have no fixed width in the file and none is declared.
func (c *column) isVariable() bool { return c.typ.IsString() && c.typ.Width() == 0 }
