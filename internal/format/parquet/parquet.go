package parquet

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the Parquet format.
var Descriptor = &format.Descriptor{
	Name:       "parquet",
	Doc:        "Apache Parquet: columns in compressed pages",
	Extensions: []string{".parquet", ".pq"},
	Magic:      func(head []byte) bool { return len(head) >= 4 && string(head[:4]) == magic },
	Read:       &format.Reading{Open: open, Types: readTypes},
	Write: &format.Writing{
		Create: create,
		Type:   typeName,
		Options: []format.Option{
			{
				Name: "compression", Doc: "codec of the pages, with its level: " + codec.Methods,
				Kind: format.OptionText, Default: "zstd", Check: checkCompression,
			},
			{
				Name: "row_group", Doc: "rows of a row group, or its size in bytes before compression (\"64 MiB\"); 0 is by the schema",
				Kind: format.OptionText, Default: "0", Check: checkRowGroup,
			},
			{
				Name: "page", Doc: "the most rows of a page, or its size in bytes before compression (\"256 KiB\"), at most 1 MiB; 0 is 16,384 rows",
				Kind: format.OptionText, Default: "0", Check: checkPage,
			},
			{
				Name: "nat", Doc: "what a NaT becomes: a null, or the value -2^63 that other readers take for a date",
				Kind: format.OptionText, Default: "null", Choices: []string{"null", "value"},
			},
		},
	},
}

var readTypes = []format.TypeRow{
	{Foreign: "BOOLEAN", DType: "bool"},
	{Foreign: "INT32, INT64, with an integer type of 8 to 64 bits, signed or not", DType: "the same integer"},
	{Foreign: "FLOAT, DOUBLE, FLOAT16", DType: "the same float"},
	{Foreign: "BYTE_ARRAY of STRING, ENUM, JSON", DType: "U, as wide as the longest value, at least 1"},
	{Foreign: "BYTE_ARRAY else", DType: "S, as wide as the longest value, at least 1"},
	{Foreign: "FIXED_LEN_BYTE_ARRAY(n), UUID and INTERVAL too", DType: "Sn"},
	{Foreign: "DATE", DType: "datetime64[D]"},
	{Foreign: "TIMESTAMP in ms, us, ns, not adjusted to UTC", DType: "datetime64 of that unit"},
	{Foreign: "INT96", DType: "datetime64[ns]; datetime64[us] if a value is beyond its range"},
	{Foreign: "INT64 that Arrow's schema in the file calls a duration", DType: "timedelta64 of that unit"},
	{Foreign: "dictionary-encoded columns", DType: "as their values"},
	{Foreign: "TIMESTAMP adjusted to UTC, TIME, DECIMAL", DType: format.Refused},
	{Foreign: "lists of three levels and of two, structures", DType: "columns of their values, as --jagged says"},
	{Foreign: "maps, lists of lists or of structures", DType: format.Refused},
}

// magic begins and ends a file.
const magic = "PAR1"

// dtypeKey begins the keys of the file's metadata that hold the dtype codes of its columns: "colstore.dtype:pt" = "<f4".
const dtypeKey = "colstore.dtype:"

func checkCompression(v any) error {
	_, err := codec.ParseMethod(v.(string))
	return err
}

func checkRowGroup(v any) error {
	_, err := groupRows(v.(string), 1)
	return err
}

func checkPage(v any) error {
	var p plan
	return p.setPages(v.(string))
}

// groupRows returns the rows of a row group by the option: a number of rows, a size in bytes, or 0 for what
// colstore.GroupRows says.
//
// Errors: colstore.ErrValue.
func groupRows(option string, rowBytes int) (int, error) {
	const most = 1 << 31 // counts of a page are 32 bits
	if n, err := colstore.ParseCount(option); err == nil {
		if n == 0 {
			return colstore.GroupRows(rowBytes), nil
		}
		return int(min(n, most-1)), nil
	}
	size, err := colstore.ParseByteSize(option)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is neither a number of rows nor a size (examples: 100_000, 64 MiB)", colstore.ErrValue, option)
	}
	return int(max(1, min(int64(size)/int64(max(1, rowBytes)), most-1))), nil
}
