package meta

import "strconv"

// Type is a physical type.
type Type int8

// The physical types. NoType is that of a group.
const (
	NoType            Type = -1
	Boolean           Type = 0
	Int32             Type = 1
	Int64             Type = 2
	Int96             Type = 3
	Float             Type = 4
	Double            Type = 5
	ByteArray         Type = 6
	FixedLenByteArray Type = 7
)

var typeNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String returns the specification's name.
func (t Type) String() string { return name(typeNames[:], int(t)) }

// Repetition says how often a field occurs in its parent.
type Repetition int8

// The repetitions.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// Converted is the older, coarser form of a logical type.
type Converted int8

// The converted types that say something about a flat column.
const (
	NoConverted              Converted = -1
	ConvertedUTF8            Converted = 0
	ConvertedMap             Converted = 1
	ConvertedList            Converted = 3
	ConvertedEnum            Converted = 4
	ConvertedDecimal         Converted = 5
	ConvertedDate            Converted = 6
	ConvertedTimeMillis      Converted = 7
	ConvertedTimeMicros      Converted = 8
	ConvertedTimestampMillis Converted = 9
	ConvertedTimestampMicros Converted = 10
	ConvertedUint8           Converted = 11
	ConvertedUint16          Converted = 12
	ConvertedUint32          Converted = 13
	ConvertedUint64          Converted = 14
	ConvertedInt8            Converted = 15
	ConvertedInt16           Converted = 16
	ConvertedInt32           Converted = 17
	ConvertedInt64           Converted = 18
	ConvertedJSON            Converted = 19
	ConvertedBSON            Converted = 20
	ConvertedInterval        Converted = 21
)

// Kind is a logical type without its parameters.
type Kind int8

// The logical types, by their numbers in the union. KindNone is none, or one that is not known here.
const (
	KindNone      Kind = 0
	KindString    Kind = 1
	KindMap       Kind = 2
	KindList      Kind = 3
	KindEnum      Kind = 4
	KindDecimal   Kind = 5
	KindDate      Kind = 6
	KindTime      Kind = 7
	KindTimestamp Kind = 8
	KindInteger   Kind = 10
	KindUnknown   Kind = 11 // always null
	KindJSON      Kind = 12
	KindBSON      Kind = 13
	KindUUID      Kind = 14
	KindFloat16   Kind = 15
)

// Unit is the tick of a time or timestamp.
type Unit int8

// The units, by their numbers in the union.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// Encoding is how the values of a page are laid out.
type Encoding int8

// The encodings.
const (
	Plain                Encoding = 0
	PlainDictionary      Encoding = 2
	RLE                  Encoding = 3
	BitPacked            Encoding = 4
	DeltaBinaryPacked    Encoding = 5
	DeltaLengthByteArray Encoding = 6
	DeltaByteArray       Encoding = 7
	RLEDictionary        Encoding = 8
	ByteStreamSplit      Encoding = 9
)

var encodingNames = [...]string{
	"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
	"DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
}

// String returns the specification's name.
func (e Encoding) String() string { return name(encodingNames[:], int(e)) }

// IsDictionary reports whether the values are numbers of dictionary entries.
func (e Encoding) IsDictionary() bool { return e == PlainDictionary || e == RLEDictionary }

// Codec is how pages are compressed.
type Codec int8

// The codecs.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	LZO          Codec = 3
	Brotli       Codec = 4
	LZ4          Codec = 5 // in Hadoop's framing; superseded by LZ4Raw
	Zstd         Codec = 6
	LZ4Raw       Codec = 7
)

var codecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// String returns the specification's name.
func (c Codec) String() string { return name(codecNames[:], int(c)) }

// PageType is what a page holds.
type PageType int8

// The page types.
const (
	DataPage       PageType = 0
	IndexPage      PageType = 1
	DictionaryPage PageType = 2
	DataPageV2     PageType = 3
)

func name(names []string, i int) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return "number " + strconv.Itoa(i)
}
