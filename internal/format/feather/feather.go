package feather

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of Feather and Arrow IPC files.
var Descriptor = &format.Descriptor{
	Name:       "feather",
	Doc:        "Feather, Arrow's IPC format: record batches as they lie in memory",
	Extensions: []string{".feather", ".arrow"},
	Magic: func(head []byte) bool {
		return strings.HasPrefix(string(head), fileMagic) || strings.HasPrefix(string(head), oldMagic) || meta.IsStream(head)
	},
	Read: &format.Reading{Open: open, Types: readTypes},
	Write: &format.Writing{
		Create: create,
		Type:   columnar.TypeName,
		Options: []format.Option{
			{
				Name: "compression", Doc: "codec of the buffers, with its level: lz4 (levels 1 to 9), zstd (levels 1 to 22), none",
				Kind: format.OptionText, Default: "lz4", Check: checkCompression,
			},
		},
	},
}

var readTypes = []format.TypeRow{
	{Foreign: "bool, integers, half, float, double", DType: "the same"},
	{Foreign: "utf8, large_utf8, utf8_view", DType: "U, as wide as the longest value, at least 1"},
	{Foreign: "binary, large_binary, binary_view", DType: "S, as wide as the longest value, at least 1"},
	{Foreign: "fixed_size_binary(n)", DType: "Sn"},
	{Foreign: "date32", DType: "datetime64[D]"},
	{Foreign: "date64", DType: "datetime64[ms]"},
	{Foreign: "timestamp without a zone", DType: "datetime64 of its unit"},
	{Foreign: "duration", DType: "timedelta64 of its unit"},
	{Foreign: "dictionary, extension types", DType: "as their values"},
	{Foreign: "null, and any column that is null in every row", DType: "float64, NaN"},
	{Foreign: "timestamp with a zone, time, decimal, interval", DType: format.Refused},
	{Foreign: "list, large_list, list_view, large_list_view, fixed_size_list, struct", DType: "columns of their values, as --jagged says"},
	{Foreign: "map, union, run-end encoded; list views whose values do not lie in the order of the rows", DType: format.Refused},
}

const (
	fileMagic = "ARROW1" // begins and ends a file
	oldMagic  = "FEA1"   // begins a file of Feather's first version
)

// A method is a codec with its level.
type method struct {
	codec meta.Codec
	level int // 0 is the codec's own choice
}

func checkCompression(v any) error {
	_, err := parseMethod(v.(string))
	return err
}

// parseMethod returns the method of an option.
//
// Errors: colstore.ErrValue.
func parseMethod(text string) (method, error) {
	name, given, hasLevel := strings.Cut(text, ":")
	codecs := map[string]struct {
		codec meta.Codec
		most  int
	}{"none": {meta.Stored, 0}, "uncompressed": {meta.Stored, 0}, "lz4": {meta.LZ4Frame, 9}, "zstd": {meta.Zstd, 22}}
	c, ok := codecs[name]
	if ok && !hasLevel {
		return method{c.codec, 0}, nil
	}
	if level, err := strconv.Atoi(given); ok && err == nil && level >= 1 && level <= c.most {
		return method{c.codec, level}, nil
	}
	return method{}, fmt.Errorf("%w: compression %q; there is none, lz4, lz4:1 to lz4:9, zstd, zstd:1 to zstd:22", colstore.ErrValue, text)
}
