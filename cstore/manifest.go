package cstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// manifest is the decoded JSON of a file's header.
type manifest struct {
	columns []map[string]any // as stored, unknown keys included
}

// parseManifest decodes and checks the manifest text. If all that is wrong is the number of its CRC, the columns are
// returned beside the error.
func parseManifest(raw []byte) (manifest, *colstore.Schema, error) {
	fail := func(format string, args ...any) (manifest, *colstore.Schema, error) {
		return manifest{}, nil, damaged(manifestAt, "manifest: "+format, args...)
	}
	if !utf8.Valid(raw) {
		return fail("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var top any
	if err := d.Decode(&top); err != nil {
		return fail("not JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fail("bytes after the JSON text")
	}
	obj, ok := top.(map[string]any)
	if !ok {
		return fail("not a JSON object")
	}
	if v, ok := obj["format_version"].(json.Number); !ok || !isOne(v) {
		return fail("format_version is %s; this program reads version %d", shown(obj["format_version"]), formatVersion)
	}
	columns, ok := obj["columns"].([]any)
	if !ok {
		return fail("columns is no array")
	}
	if len(columns) == 0 {
		return fail("no columns")
	}
	var sumErr error
	if stored := obj["manifest_crc32"]; stored != nil {
		sum := columnsCRC(columns)
		if v, ok := stored.(json.Number); !ok || !isUint32(v, sum) {
			sumErr = fmt.Errorf("%w at offset %d: the manifest has %s, its columns give %d", colstore.ErrChecksum, manifestAt, shown(stored), sum)
		}
	}
	m, s, err := parseColumns(columns)
	switch {
	case sumErr == nil:
		return m, s, err
	case !nearlyNumber(obj["manifest_crc32"], columnsCRC(columns)):
		return m, nil, sumErr
	}
	return m, s, sumErr
}

// nearlyNumber reports whether a decoded JSON value is a number but for one digit, or but for being text: then it is the
// number that is damaged, and not what it was computed of.
func nearlyNumber(v any, n uint32) bool {
	stored, want := "", strconv.FormatUint(uint64(n), 10)
	switch v := v.(type) {
	case json.Number:
		stored = v.String()
	case string:
		stored = v
	}
	if len(stored) != len(want) {
		return false
	}
	differ := 0
	for i := range want {
		if stored[i] != want[i] {
			differ++
		}
	}
	return differ <= 1
}

// columnsCRC returns the CRC of the columns of a manifest.
func columnsCRC(columns []any) uint32 {
	return crc32.ChecksumIEEE(appendCanonical(nil, map[string]any{"columns": columns}))
}

// parseColumns checks the columns of a manifest.
func parseColumns(columns []any) (manifest, *colstore.Schema, error) {
	var m manifest
	fields := make([]colstore.Field, len(columns))
	for i, c := range columns {
		col, ok := c.(map[string]any)
		if !ok {
			return m, nil, damaged(manifestAt, "manifest: column %d is no object", i)
		}
		f, err := parseColumn(col, i)
		if err != nil {
			return m, nil, err
		}
		fields[i] = f
		m.columns = append(m.columns, col)
	}
	s, err := colstore.NewSchema(fields...)
	if err != nil {
		return m, nil, fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err)
	}
	return m, s, nil
}

func parseColumn(col map[string]any, i int) (colstore.Field, error) {
	var f colstore.Field
	name, ok := col["name"].(string)
	if !ok {
		return f, damaged(manifestAt, "manifest: the name of column %d is %s, not text", i, shown(col["name"]))
	}
	fail := func(format string, args ...any) (colstore.Field, error) {
		return f, &colstore.Error{Column: name, Err: damaged(manifestAt, "manifest: "+format, args...)}
	}
	code, ok := col["dtype"].(string)
	if !ok {
		return fail("the dtype is %s, not text", shown(col["dtype"]))
	}
	t, err := colstore.ParseCode(code)
	if err != nil {
		return f, &colstore.Error{Column: name, Err: fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err)}
	}
	if e, there := col["encoding"]; there && e != "raw" {
		return fail("encoding %s is unknown; this program reads \"raw\"", shown(e))
	}
	if n, there := col["nullable"]; there && n != false {
		return fail("nullable is %s; there are no null values in this format", shown(n))
	}
	return colstore.Field{Name: name, Type: t}, nil
}

// shown prints a decoded JSON value for a message.
func shown(v any) string {
	if v == nil {
		return "absent or null"
	}
	s := string(appendCanonical(nil, v))
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

func isOne(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f == formatVersion
}

func isUint32(n json.Number, want uint32) bool {
	f, err := n.Float64()
	return err == nil && f == float64(want)
}

// encodeManifest writes the manifest of a schema exactly as the Python package does. Writers give it native dtypes.
func encodeManifest(s *colstore.Schema) ([]byte, error) {
	var b, sum []byte
	b = append(b, `{"format_version": 1, "columns": [`...)
	sum = append(sum, `{"columns": [`...)
	for i, f := range s.All() {
		if !utf8.ValidString(f.Name) {
			return nil, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: the name is not UTF-8", colstore.ErrValue)}
		}
		if i > 0 {
			b, sum = append(b, ", "...), append(sum, ", "...)
		}
		name, code := appendQuoted(nil, f.Name), f.Type.String()
		b = fmt.Appendf(b, `{"name": %s, "dtype": "%s", "encoding": "raw", "nullable": false}`, name, code)
		sum = fmt.Appendf(sum, `{"dtype": "%s", "encoding": "raw", "name": %s, "nullable": false}`, code, name)
	}
	sum = append(sum, "]}"...)
	return fmt.Appendf(b, `], "manifest_crc32": %d}`, crc32.ChecksumIEEE(sum)), nil
}

// appendCanonical serialises a decoded JSON value the way the manifest's CRC is taken: sorted keys, ", " and ": ",
// everything outside printable ASCII escaped, numbers as Python prints them.
func appendCanonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return appendQuoted(dst, v)
	case json.Number:
		return appendNumber(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendCanonical(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		dst = append(dst, '{')
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendQuoted(dst, k), ": "...)
			dst = appendCanonical(dst, v[k])
		}
		return append(dst, '}')
	}
	panic(fmt.Sprintf("cstore: %T is no decoded JSON", v))
}

func appendNumber(dst []byte, n json.Number) []byte {
	s := n.String()
	if !strings.ContainsAny(s, ".eE") {
		if i, ok := new(big.Int).SetString(s, 10); ok {
			return i.Append(dst, 10) // -0 is 0
		}
	}
	f, _ := n.Float64() // out of range is an infinity
	if math.IsInf(f, 0) {
		return append(dst, strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")+"inity"...)
	}
	return text.AppendFloat(dst, f, 64)
}

// appendQuoted writes a JSON string in pure printable ASCII.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\b':
			dst = append(dst, `\b`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\f':
			dst = append(dst, `\f`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r >= ' ' && r < 0x7f:
			dst = append(dst, byte(r))
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, hi, lo)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return append(dst, '"')
}
