package npz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of numpy.savez.
var Descriptor = &format.Descriptor{
	Name:       "npz",
	Doc:        "NumPy's archives: a zip file with one array a column",
	Extensions: []string{".npz"},
	Magic: func(head []byte) bool {
		// Other archives are zip files too; the first member tells.
		return len(head) >= 4 && string(head[:4]) == localMagic && strings.Contains(string(head), suffix)
	},
	Read: &format.Reading{
		Open:   open,
		Types:  readTypes,
		Inside: "member",
		Options: []format.Option{
			{Name: "member", Doc: "the one array to read, with or without .npy; empty is all of them", Kind: format.OptionText, Default: ""},
		},
	},
	Write: &format.Writing{
		Create: create,
		Options: []format.Option{
			{
				Name: "compression", Doc: "codec of the members: none (as numpy.savez), deflate[:1-9] (as numpy.savez_compressed)",
				Kind: format.OptionText, Default: "none", Check: checkCompression,
			},
		},
	},
}

var readTypes = []format.TypeRow{
	{Foreign: "?, i1 … i8, u1 … u8, f2, f4, f8, M8, m8 in either byte order", DType: "the same"},
	{Foreign: "S, U", DType: "the same, at least 1 wide"},
	{Foreign: "arrays without dimensions", DType: "one row"},
	{Foreign: "f16, c8 … c32, objects, structures, arrays of more dimensions", DType: format.Refused},
}

// suffix ends the name of a member that is an array.
const suffix = ".npy"

// defaultLevel is zlib's.
const defaultLevel = 6

func checkCompression(v any) error {
	_, err := parseCompression(v.(string))
	return err
}

// parseCompression returns the deflate level of an option, 0 for stored members.
func parseCompression(text string) (level int, err error) {
	codec, given, hasLevel := strings.Cut(text, ":")
	switch {
	case codec == "none" && !hasLevel:
		return 0, nil
	case codec == "deflate" && !hasLevel:
		return defaultLevel, nil
	case codec == "deflate":
		if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= 9 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: compression %q; there is none, deflate, deflate:1 to deflate:9", colstore.ErrValue, text)
}
