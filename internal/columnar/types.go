package columnar

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
)

// Kind is the kind of a type.
type Kind uint8

// The kinds. Nested and Other are all those without a dtype.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Binary
	LargeBinary
	BinaryView
	Text
	LargeText
	TextView
	FixedBinary
	Date32
	Date64
	Timestamp
	Duration
	Nested
	Other
)

// A Type is a type of Arrow.
type Type struct {
	Kind   Kind
	Size   int           // bytes of an Int, Float or FixedBinary
	Signed bool          // of an Int
	Unit   colstore.Unit // of a Timestamp or Duration
	Zone   string        // of a Timestamp
	Name   string        // as Arrow prints it, for messages
	Index  *Index        // if the rows are indices into a dictionary of values of this type
}

// Index is the type of indices into a dictionary.
type Index struct {
	Size   int
	Signed bool
}

// DTypeKey begins the keys of a table's metadata that hold the dtype codes of its columns: "colstore.dtype:pt" = "<f4".
// They are those of Parquet files, which readers of such files hand on.
const DTypeKey = "colstore.dtype:"

// Units are the units of Arrow's timestamps and durations.
var Units = []colstore.Unit{colstore.Second, colstore.Millisecond, colstore.Microsecond, colstore.Nanosecond}

// TypeOf returns the type that a dtype is written as, in either byte order. Its name is not set.
//
// Errors: colstore.ErrType for a dtype that Arrow has no type for.
func TypeOf(t colstore.DType) (Type, error) {
	hasUnit := slices.Contains(Units, t.Unit())
	switch t.Kind() {
	case colstore.KindBool:
		return Type{Kind: Bool}, nil
	case colstore.KindFloat:
		return Type{Kind: Float, Size: t.Size()}, nil
	case colstore.KindBytes:
		return Type{Kind: FixedBinary, Size: t.Size()}, nil
	case colstore.KindText:
		return Type{Kind: Text}, nil
	case colstore.KindDatetime:
		if t.Unit() == colstore.Day {
			return Type{Kind: Date32}, nil
		}
		if hasUnit {
			return Type{Kind: Timestamp, Unit: t.Unit()}, nil
		}
		return Type{}, fmt.Errorf("%w: Arrow has no timestamp of unit %s; cast the column to datetime in D, s, ms, us or ns first", colstore.ErrType, t.Unit())
	case colstore.KindTimedelta:
		if hasUnit {
			return Type{Kind: Duration, Unit: t.Unit()}, nil
		}
		return Type{}, fmt.Errorf("%w: Arrow has no duration of unit %s; cast the column to timedelta in s, ms, us or ns first", colstore.ErrType, t.Unit())
	default:
		return Type{Kind: Int, Size: t.Size(), Signed: t.Kind() == colstore.KindInt}, nil
	}
}

// TypeName returns what a dtype is written as, in Arrow's words.
//
// Errors: colstore.ErrType.
func TypeName(d colstore.DType) (string, error) {
	t, err := TypeOf(d)
	if err != nil {
		return "", err
	}
	switch t.Kind {
	case Bool:
		return "bool", nil
	case Int:
		return d.Name(), nil
	case Float:
		return fmt.Sprintf("float%d", 8*t.Size), nil
	case Date32:
		return "date32", nil
	case Timestamp:
		return fmt.Sprintf("timestamp[%s] without a zone", t.Unit), nil
	case Duration:
		return fmt.Sprintf("duration[%s]", t.Unit), nil
	case FixedBinary:
		return fmt.Sprintf("fixed_size_binary(%d)", t.Size), nil
	default:
		return "utf8", nil
	}
}

// IsLong reports whether values have any length.
func (t Type) IsLong() bool { return t.Kind >= Binary && t.Kind <= TextView }

// IsText reports whether values are UTF-8 of any length.
func (t Type) IsText() bool { return t.Kind >= Text && t.Kind <= TextView }

// OffsetBytes returns the bytes of an offset of values that lie one behind the other, 0 for all others.
func (t Type) OffsetBytes() int {
	switch t.Kind {
	case Binary, Text:
		return 4
	case LargeBinary, LargeText:
		return 8
	}
	return 0
}

// IsView reports whether values of any length are told by headers of [ViewBytes].
func (t Type) IsView() bool { return t.Kind == BinaryView || t.Kind == TextView }

// ValueBytes returns the bytes of a value in the buffer of a type of fixed width, 0 for all others and for Bool.
func (t Type) ValueBytes() int {
	switch t.Kind {
	case Int, Float, FixedBinary:
		return t.Size
	case Date32:
		return 4
	case Date64, Timestamp, Duration:
		return 8
	}
	return 0
}

// form is how an Arrow value becomes one of a dtype.
type form uint8

const (
	formCopy  form = iota // the same bytes
	formBool              // a bit, to a byte
	formDate              // 32 bits of days, to 64
	formBytes             // bytes of any length, to S
	formText              // UTF-8, to U
)

// A Column is a column of a table of Arrow types, with what its type says.
type Column struct {
	Place    int // in the table
	Name     string
	Type     Type
	Nullable bool

	form    form
	typ     colstore.DType // text and bytes of variable length have width 0
	refused string         // what it holds, if there is no dtype for it
	remedy  string         // what to do about that, if there is something
	keyed   bool           // the table's metadata hold its dtype
}

// NewColumn returns the column at a place of a table. code is the dtype that the table's metadata have for it, if they do;
// one that the type cannot carry is somebody's leftover and says nothing.
func NewColumn(place int, name string, t Type, nullable bool, code string) Column {
	c := Column{Place: place, Name: name, Type: t, Nullable: nullable}
	c.setType()
	if code != "" {
		c.restore(code)
	}
	return c
}

// setType finds dtype and form by the type.
func (c *Column) setType() {
	t := c.Type
	c.form = formCopy
	switch t.Kind {
	case Null:
		c.refused = "nothing (Arrow's null type)"
	case Bool:
		c.typ, c.form = colstore.Bool, formBool
	case Int, Float:
		c.typ = numberOf(t)
	case Binary, LargeBinary, BinaryView:
		c.typ, c.form = colstore.BytesOf(0), formBytes
	case Text, LargeText, TextView:
		c.typ, c.form = colstore.TextOf(0), formText
	case FixedBinary:
		if c.typ = colstore.BytesOf(t.Size); !c.typ.Valid() {
			c.refused = fmt.Sprintf("values of %d bytes", t.Size)
		}
	case Date32:
		c.typ, c.form = colstore.DatetimeOf(colstore.Day), formDate
	case Date64:
		c.typ = colstore.DatetimeOf(colstore.Millisecond)
	case Timestamp:
		c.typ = colstore.DatetimeOf(t.Unit)
		if t.Zone != "" {
			c.refused = fmt.Sprintf("timestamps of a time zone (%s), and a dtype has none", t.Name)
			c.remedy = "convert it to timestamps without a zone first"
		}
	case Duration:
		c.typ = colstore.TimedeltaOf(t.Unit)
	case Nested:
		c.refused = fmt.Sprintf("nested values (%s), and a column has one value a row", t.Name)
		c.remedy = "flatten it first"
	default:
		c.refused = fmt.Sprintf("values of type %s, which is no dtype", t.Name)
		c.remedy = "cast it to a number, text or a timestamp first"
	}
}

// numberOf returns the dtype of an Int or Float.
func numberOf(t Type) colstore.DType {
	all := map[int]colstore.DType{1: colstore.Uint8, 2: colstore.Uint16, 4: colstore.Uint32, 8: colstore.Uint64}
	switch {
	case t.Kind == Float:
		all = map[int]colstore.DType{2: colstore.Float16, 4: colstore.Float32, 8: colstore.Float64}
	case t.Signed:
		all = map[int]colstore.DType{1: colstore.Int8, 2: colstore.Int16, 4: colstore.Int32, 8: colstore.Int64}
	}
	return all[t.Size]
}

// refusal returns the error for a column without a dtype.
func (c *Column) refusal(w *Words) error {
	remedy := ""
	if c.remedy != "" {
		remedy = "; " + c.remedy + " or leave it out with " + w.Columns
	}
	return fmt.Errorf("%w: it holds %s%s", colstore.ErrType, c.refused, remedy)
}

// restore takes the dtype of a code, if the column's type can carry it.
func (c *Column) restore(code string) {
	t, err := colstore.ParseCode(code)
	if err != nil || t.BigEndian() || c.refused != "" {
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

// Width returns the width of text or bytes that is known before any value, 0 if none is.
func (c *Column) Width() int {
	if c.typ.IsString() {
		return c.typ.Width()
	}
	return 0
}

// IsLong reports whether the values have any length in Arrow.
func (c *Column) IsLong() bool { return c.form == formBytes || c.form == formText }

// isVariable reports whether no width is settled for text or bytes.
func (c *Column) isVariable() bool { return c.typ.IsString() && c.typ.Width() == 0 }

// isUntyped reports whether the column's type has no values at all.
func (c *Column) isUntyped() bool { return c.Type.Kind == Null }
