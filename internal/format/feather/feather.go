package feather

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// Descriptor is the format of Feather and Arrow IPC files.
var Descriptor = &format.Descriptor{
	Name:       "feather",
	Doc:        "Feather, Arrow's IPC format: record batches as they lie in memory",
	Extensions: []string{".feather", ".arrow"},
	Magic: func(head []byte) bool {
		return strings.HasPrefix(string(head), fileMagic) || strings.HasPrefix(string(head), oldMagic) || meta.IsStream(head)
	},
	Read: &format.Reading{Open: open},
	Write: &format.Writing{
		Create: create,
		Options: []format.Option{
			{
				Name: "compression", Doc: "codec of the buffers, with its level: lz4 (levels 1 to 9), zstd (levels 1 to 22), none",
				Kind: format.OptionText, Default: "lz4", Check: checkCompression,
			},
		},
	},
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
