package colstore

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the family of a [DType].
type Kind uint8

// The kinds, with the letter NumPy writes for each.
const (
	KindInvalid   Kind = iota
	KindBool           // b: one byte, 0 is false
	KindInt            // i: two's complement, 1, 2, 4 or 8 bytes
	KindUint           // u: 1, 2, 4 or 8 bytes
	KindFloat          // f: IEEE 754, 2, 4 or 8 bytes
	KindBytes          // S: a fixed number of bytes, padded with NULs on the right
	KindText           // U: a fixed number of code points, four bytes each, padded with NULs
	KindDatetime       // M: 64-bit ticks since 1970-01-01T00:00:00 in a unit
	KindTimedelta      // m: 64-bit ticks in a unit
)

var kindNames = [...]string{"invalid", "bool", "integer", "unsigned integer", "float", "bytes", "text", "datetime", "timedelta"}

// String returns the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Unit is the tick of a datetime or timedelta.
type Unit uint8

// The units, coarse to fine. Years and months have no fixed length.
const (
	NoUnit Unit = iota
	Year
	Month
	Week
	Day
	Hour
	Minute
	Second
	Millisecond
	Microsecond
	Nanosecond
	Picosecond
	Femtosecond
	Attosecond
)

var unitCodes = [...]string{"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}

// String returns NumPy's code of the unit: "Y", "M", … "as".
func (u Unit) String() string {
	if int(u) < len(unitCodes) {
		return unitCodes[u]
	}
	return "Unit(" + strconv.Itoa(int(u)) + ")"
}

func parseUnit(s string) (Unit, bool) {
	for i, c := range unitCodes[1:] {
		if c == s {
			return Unit(i + 1), true
		}
	}
	return NoUnit, false
}

// NaT is the tick value that means "not a time".
const NaT = math.MinInt64

// A DType is the fixed-width type of a column's values. It is comparable: == is type equality. The zero DType is
// invalid.
type DType struct {
	kind Kind
	unit Unit
	big  bool
	size int32
}

// The dtypes that need no parameter, in little-endian byte order.
var (
	Bool    = DType{kind: KindBool, size: 1}
	Int8    = DType{kind: KindInt, size: 1}
	Int16   = DType{kind: KindInt, size: 2}
	Int32   = DType{kind: KindInt, size: 4}
	Int64   = DType{kind: KindInt, size: 8}
	Uint8   = DType{kind: KindUint, size: 1}
	Uint16  = DType{kind: KindUint, size: 2}
	Uint32  = DType{kind: KindUint, size: 4}
	Uint64  = DType{kind: KindUint, size: 8}
	Float16 = DType{kind: KindFloat, size: 2}
	Float32 = DType{kind: KindFloat, size: 4}
	Float64 = DType{kind: KindFloat, size: 8}
)

// maxWidth is the largest element NumPy can describe, in bytes.
const maxWidth = math.MaxInt32

// BytesOf returns the dtype of n bytes, "|Sn". n of 0 is "bytes of a width still to be found", which only a cast
// accepts. A width that no file can hold gives the invalid dtype.
func BytesOf(n int) DType {
	if n < 0 || n > maxWidth {
		return DType{}
	}
	return DType{kind: KindBytes, size: int32(n)}
}

// TextOf returns the dtype of n code points, "<Un", with n of 0 as in [BytesOf].
func TextOf(n int) DType {
	if n < 0 || n > maxWidth/4 {
		return DType{}
	}
	return DType{kind: KindText, size: int32(4 * n)}
}

// DatetimeOf returns the dtype of points in time counted in u.
func DatetimeOf(u Unit) DType { return timeOf(KindDatetime, u) }

// TimedeltaOf returns the dtype of spans of time counted in u.
func TimedeltaOf(u Unit) DType { return timeOf(KindTimedelta, u) }

func timeOf(k Kind, u Unit) DType {
	if u == NoUnit || u > Attosecond {
		return DType{}
	}
	return DType{kind: k, unit: u, size: 8}
}

// Valid reports whether the dtype is a storable type: not the zero value, and with a width.
func (t DType) Valid() bool { return t.kind != KindInvalid && t.size > 0 }

// Kind returns the family.
func (t DType) Kind() Kind { return t.kind }

// Size returns the bytes of one value.
func (t DType) Size() int { return int(t.size) }

// Width returns the characters of a bytes or text dtype: bytes of an S, code points of a U; 0 for other kinds.
func (t DType) Width() int {
	switch t.kind {
	case KindBytes:
		return int(t.size)
	case KindText:
		return int(t.size) / 4
	default:
		return 0
	}
}

// Unit returns the tick of a datetime or timedelta, [NoUnit] for other kinds.
func (t DType) Unit() Unit { return t.unit }

// BigEndian reports whether the bytes of a value are stored most significant first.
func (t DType) BigEndian() bool { return t.big }

// Native returns the same type in the host's byte order, which is little-endian.
func (t DType) Native() DType {
	t.big = false
	return t
}

// Swapped returns the same type in big-endian byte order; types without one are returned as they are.
func (t DType) Swapped() DType {
	t.big = t.hasOrder()
	return t
}

func (t DType) hasOrder() bool {
	switch t.kind {
	case KindInt, KindUint, KindFloat:
		return t.size > 1
	case KindText, KindDatetime, KindTimedelta:
		return true
	default:
		return false
	}
}

// IsNumber reports whether the kind is bool, integer, unsigned or float: what arithmetic promotes among.
func (t DType) IsNumber() bool { return t.kind >= KindBool && t.kind <= KindFloat }

// IsString reports whether the kind is bytes or text.
func (t DType) IsString() bool { return t.kind == KindBytes || t.kind == KindText }

// IsTime reports whether the kind is datetime or timedelta.
func (t DType) IsTime() bool { return t.kind == KindDatetime || t.kind == KindTimedelta }

// String returns the code a .cstore file stores: "<f8", "|b1", "|S16", "<U8", "<M8[ns]".
func (t DType) String() string {
	order := "|"
	if t.hasOrder() {
		order = "<"
		if t.big {
			order = ">"
		}
	}
	switch t.kind {
	case KindBool:
		return "|b1"
	case KindInt:
		return order + "i" + strconv.Itoa(t.Size())
	case KindUint:
		return order + "u" + strconv.Itoa(t.Size())
	case KindFloat:
		return order + "f" + strconv.Itoa(t.Size())
	case KindBytes:
		return "|S" + strconv.Itoa(t.Width())
	case KindText:
		return order + "U" + strconv.Itoa(t.Width())
	case KindDatetime:
		return order + "M8[" + t.unit.String() + "]"
	case KindTimedelta:
		return order + "m8[" + t.unit.String() + "]"
	default:
		return "invalid"
	}
}

// Name returns the long NumPy name, the one to use in messages: "float64", "bool", "datetime64[ns]", "S16", "U8".
func (t DType) Name() string {
	bits := strconv.Itoa(8 * t.Size())
	switch t.kind {
	case KindBool:
		return "bool"
	case KindInt:
		return "int" + bits
	case KindUint:
		return "uint" + bits
	case KindFloat:
		return "float" + bits
	case KindBytes:
		return "S" + strconv.Itoa(t.Width())
	case KindText:
		return "U" + strconv.Itoa(t.Width())
	case KindDatetime:
		return "datetime64[" + t.unit.String() + "]"
	case KindTimedelta:
		return "timedelta64[" + t.unit.String() + "]"
	default:
		return "invalid"
	}
}

var longNames = map[string]DType{
	"bool": Bool, "?": Bool,
	"int8": Int8, "int16": Int16, "int32": Int32, "int64": Int64,
	"uint8": Uint8, "uint16": Uint16, "uint32": Uint32, "uint64": Uint64,
	"float16": Float16, "float32": Float32, "float64": Float64,
}

// ParseDType reads a dtype in any spelling a NumPy user types: a stored code ("<f4", "|S16", ">i8"), the code without a
// byte-order mark ("f4", "U8"), or a long name ("float32", "datetime64[us]", "bool", "?"). "S" and "U" without a width
// are the types whose width a cast finds by itself; they are not [DType.Valid].
//
// The error is [ErrType]; for types that exist but cannot be stored (complex, object, structured, a multiplied or
// missing time unit, 80-bit floats) it says so.
func ParseDType(s string) (DType, error) {
	text := strings.TrimSpace(s)
	if t, ok := longNames[text]; ok {
		return t, nil
	}
	code := text
	if rest, ok := strings.CutPrefix(code, "datetime64"); ok {
		code = "M8" + rest
	} else if rest, ok := strings.CutPrefix(code, "timedelta64"); ok {
		code = "m8" + rest
	}
	return parseCode(code, s)
}

// ParseCode reads a dtype as a .cstore manifest spells it: byte-order mark, kind letter, size, unit. No mark, or "=",
// is taken as little-endian. Everything else that [DType.String] does not print is an error.
func ParseCode(s string) (DType, error) {
	t, err := parseCode(s, s)
	if err != nil {
		return t, err
	}
	if !t.Valid() {
		return DType{}, fmt.Errorf("%w: %q has no width", ErrType, s)
	}
	if c := t.String(); c != s && c[1:] != strings.TrimPrefix(s, "=") {
		return DType{}, fmt.Errorf("%w: unknown dtype %q", ErrType, s)
	}
	return t, nil
}

func parseCode(code, shown string) (DType, error) {
	shown = clip(shown)
	unknown := func() (DType, error) { return DType{}, fmt.Errorf("%w: unknown dtype %q", ErrType, shown) }
	unsupported := func(why string) (DType, error) {
		return DType{}, fmt.Errorf("%w: dtype %q: %s", ErrType, shown, why)
	}
	big := false
	if code != "" && strings.IndexByte("<>|=", code[0]) >= 0 {
		big = code[0] == '>'
		code = code[1:]
	}
	if code == "" {
		return unknown()
	}
	letter, rest := code[0], code[1:]
	if letter == 'M' || letter == 'm' {
		t, why := parseTime(letter, rest)
		if why != "" {
			return unsupported(why)
		}
		if !t.Valid() {
			return unknown()
		}
		t.big = big
		return t, nil
	}
	n := 0
	if rest != "" {
		// Atoi would take a sign and leading zeros.
		if rest[0] < '1' || rest[0] > '9' {
			return unknown()
		}
		v, err := strconv.Atoi(rest)
		if err != nil {
			return unknown()
		}
		n = v
	}
	var t DType
	switch letter {
	case 'b':
		if n == 1 {
			t = Bool
		}
	case 'i', 'u', 'f':
		t = number(letter, n)
		if letter == 'f' && (n == 12 || n == 16) {
			return unsupported("80-bit floats are not portable; cast to float64")
		}
	case 'S', 'a':
		t = BytesOf(n)
	case 'U':
		t = TextOf(n)
	case 'c':
		return unsupported("complex numbers cannot be stored; store two columns")
	case 'O':
		return unsupported("objects have no fixed width; use S or U with a width")
	case 'V':
		return unsupported("void and structured values cannot be stored; store one column a field")
	}
	if t.kind == KindInvalid {
		return unknown()
	}
	t.big = big && t.hasOrder()
	return t, nil
}

func number(letter byte, n int) DType {
	kind, least := KindInt, 1
	switch letter {
	case 'u':
		kind = KindUint
	case 'f':
		kind, least = KindFloat, 2
	}
	switch n {
	case 1, 2, 4, 8:
		if n >= least {
			return DType{kind: kind, size: int32(n)}
		}
	}
	return DType{}
}

// parseTime reads what follows the letter of a datetime or timedelta code: "8[ns]".
func parseTime(letter byte, rest string) (t DType, unsupported string) {
	if rest == "8" || rest == "" {
		return DType{}, "the time unit is missing; write for instance " + string(letter) + "8[us]"
	}
	rest = strings.TrimPrefix(rest, "8")
	if len(rest) < 3 || rest[0] != '[' || rest[len(rest)-1] != ']' {
		return DType{}, ""
	}
	code := rest[1 : len(rest)-1]
	u, ok := parseUnit(code)
	if !ok {
		if _, known := parseUnit(strings.TrimLeft(code, "0123456789")); known {
			return DType{}, "multiples of a time unit cannot be stored; convert to the plain unit"
		}
		return DType{}, ""
	}
	if letter == 'M' {
		return DatetimeOf(u), ""
	}
	return TimedeltaOf(u), ""
}

// MarshalText writes the dtype code.
func (t DType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what [ParseDType] reads.
func (t *DType) UnmarshalText(text []byte) error {
	v, err := ParseDType(string(text))
	if err == nil {
		*t = v
	}
	return err
}
