package cstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
)

// withManifest returns a file without records whose manifest is that text.
func withManifest(tb testing.TB, text string) []byte {
	tb.Helper()
	data := golden.Bytes(tb, "crashed_fresh.cstore")[:manifestAt:manifestAt]
	copy(data[countersAt:], counters{}.encode())
	binary.LittleEndian.PutUint64(data[manifestLenAt:], uint64(len(text)))
	data = append(data, text...)
	return append(data, make([]byte, align(int64(len(data)), dataAlign)-int64(len(data)))...)
}

// A manifest of a mebibyte takes a few times its size to read, whatever it is made of, and no time to speak of.
func TestHostileManifests(t *testing.T) {
	const size, most = 1 << 20, 10
	whole := func(columns string) string {
		return `{"format_version": 1, "columns": [` + columns + `], "manifest_crc32": 1}`
	}
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	numbered := func(format string, from int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, from+i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	column := func(more string) string { return whole(`{"name": "a", "dtype": "<i4", ` + more + `}`) }
	for name, text := range map[string]string{
		"a long name":          whole(`{"name": "` + fill("x") + `", "dtype": "<i4"}`),
		"a name of controls":   whole(`{"name": "` + fill("\x7f") + `", "dtype": "<i4"}`),
		"a name of escapes":    whole(`{"name": "` + fill(`\u0001`) + `", "dtype": "<i4"}`),
		"a long dtype":         whole(`{"name": "a", "dtype": "|S` + fill("9") + `"}`),
		"a long encoding":      column(`"encoding": "` + fill("x") + `"`),
		"many columns":         whole(numbered(`{"name":"%d","dtype":"|b1"},`, 0)),
		"many members":         column(numbered(`"%d":0,`, 1_000_000)),
		"many escaped keys":    column(numbered(`"\n%d":0,`, 1_000_000)),
		"one key many times":   column(strings.TrimSuffix(fill(`"":0,`), ",")),
		"many small objects":   column(`"x": [` + strings.TrimSuffix(fill(`{"":0},`), ",") + `]`),
		"many empty arrays":    column(`"x": [` + strings.TrimSuffix(fill(`[],`), ",") + `]`),
		"columns of numbers":   whole(strings.TrimSuffix(fill(`0,`), ",")),
		"columns of objects":   whole(strings.TrimSuffix(fill(`{},`), ",")),
		"a long number":        column(`"x": ` + fill("9")),
		"a long fraction":      column(`"x": 0.` + fill("9")),
		"a long exponent":      column(`"x": 1e` + fill("9")),
		"a long version":       `{"format_version": 1.` + fill("0") + `, "columns": []}`,
		"a long checksum":      `{"format_version": 1, "columns": [{"name": "a", "dtype": "<i4"}], "manifest_crc32": ` + fill("9") + `}`,
		"deep arrays":          column(`"x": ` + fill("[")),
		"deep objects":         column(`"x": ` + fill(`{"":`)),
		"as deep as it may":    column(`"x": ` + strings.Repeat("[", maxNesting-4) + strings.TrimSuffix(fill("0,"), ",") + strings.Repeat("]", maxNesting-4)),
		"deep and many":        column(`"x": ` + strings.Repeat(`{"b":0,"a":`, maxNesting-4) + `[` + strings.TrimSuffix(fill(`1e5,`), ",") + `]` + strings.Repeat("}", maxNesting-4)),
		"white space":          whole(fill(" ")),
		"keys at the top":      `{` + numbered(`"%d":0,`, 1_000_000) + `}`,
		"columns many times":   `{"format_version": 1, ` + strings.TrimSuffix(fill(`"columns":[],`), ",") + `}`,
		"a string without end": `{"` + fill("x"),
	} {
		// With a checksum, which is wrong, and without, so that the columns are read.
		for _, text := range []string{text, strings.Replace(text, `"manifest_crc32": 1}`, `"manifest_crc32": null}`, 1)} {
			data := withManifest(t, text)
			samples := make([]metrics.Sample, 2)
			largeObjects(samples)
			_, before := largeObjects(samples)
			_, _, _, _, err := openBytes(data)
			_, after := largeObjects(samples)
			if err != nil && (!errors.Is(err, colstore.ErrFormat) || len(err.Error()) > 400) {
				t.Errorf("%s: a message of %d bytes: %.200v", name, len(err.Error()), err)
			}
			if after-before > most*uint64(len(data)) {
				t.Errorf("%s: %.1f times its size is allocated", name, float64(after-before)/float64(len(data)))
			}
		}
	}
}
