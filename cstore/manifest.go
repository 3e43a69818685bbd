package cstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

// manifest is the JSON of a file's header that has been checked.
type manifest struct {
	columns []byte // the array of them as stored, unknown keys included
}

// parseManifest checks the manifest text, which it keeps, and reads the columns out of it. If all that is wrong is the
// number of its CRC, the columns are returned beside the error.
func parseManifest(raw []byte) (manifest, *colstore.Schema, error) {
	fail := func(format string, args ...any) (manifest, *colstore.Schema, error) {
		return manifest{}, nil, damaged(manifestAt, "manifest: "+format, args...)
	}
	if !utf8.Valid(raw) {
		return fail("not UTF-8")
	}
	top, err := checkJSON(raw)
	if err != nil {
		return fail("%v", err)
	}
	if raw[top.begin] != '{' {
		return fail("not a JSON object")
	}
	members := appendMembers(make([]member, 0, 4), raw, top)
	if v, ok := find(raw, members, "format_version"); !ok || !isNumber(v.of(raw), formatVersion) {
		return fail("format_version is %s; this program reads version %d", shown(raw, v), formatVersion)
	}
	columns, ok := find(raw, members, "columns")
	if !ok || raw[columns.begin] != '[' {
		return fail("columns is no array")
	}
	list := walk(raw, columns)
	_, item, ok := list.next()
	if !ok {
		return fail("no columns")
	}
	var sumErr error
	sum := checksum{json: raw, members: members[:0], out: make([]byte, 0, 2*flushAt)}
	if stored, there := find(raw, members, "manifest_crc32"); there && string(stored.of(raw)) != "null" {
		sum.print(`{"columns": `)
		sum.value(columns)
		sum.print("}")
		if sum.flush(); !isNumber(stored.of(raw), float64(sum.sum)) {
			sumErr = fmt.Errorf("%w at offset %d: the manifest has %s, its columns give %d",
				colstore.ErrChecksum, manifestAt, shown(raw, stored), sum.sum)
			if !nearlyNumber(stored.of(raw), sum.sum) {
				return manifest{}, nil, sumErr
			}
		}
	}
	var fields []colstore.Field
	members = sum.members[:0]
	for i := 0; ok; _, item, ok = list.next() {
		if raw[item.begin] != '{' {
			return manifest{}, nil, cmp.Or(sumErr, damaged(manifestAt, "manifest: column %d is no object", i))
		}
		members = appendMembers(members[:0], raw, item)
		f, err := parseColumn(raw, members, i)
		if err != nil {
			return manifest{}, nil, cmp.Or(sumErr, err)
		}
		fields = append(fields, f)
		i++
	}
	s, err := colstore.NewSchema(fields...)
	if err != nil {
		return manifest{}, nil, cmp.Or(sumErr, fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err))
	}
	return manifest{columns.of(raw)}, s, sumErr
}

// nearlyNumber reports whether a checked JSON value is a number but for one digit, or but for being text: then it is the
// number that is damaged, and not what it was computed of.
func nearlyNumber(raw []byte, n uint32) bool {
	stored, want := strings.Trim(string(raw), `"`), strconv.FormatUint(uint64(n), 10)
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

func parseColumn(raw []byte, members []member, i int) (colstore.Field, error) {
	var f colstore.Field
	name, ok := find(raw, members, "name")
	if !ok || raw[name.begin] != '"' {
		return f, damaged(manifestAt, "manifest: the name of column %d is %s, not text", i, shown(raw, name))
	}
	f.Name = unquote(name.of(raw))
	fail := func(format string, args ...any) (colstore.Field, error) {
		return f, &colstore.Error{Column: f.Name, Err: damaged(manifestAt, "manifest: "+format, args...)}
	}
	code, ok := find(raw, members, "dtype")
	if !ok || raw[code.begin] != '"' {
		return fail("the dtype is %s, not text", shown(raw, code))
	}
	var err error
	if f.Type, err = colstore.ParseCode(unquote(code.of(raw))); err != nil {
		return f, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err)}
	}
	if v, there := find(raw, members, "encoding"); there && !isText(v.of(raw), "raw") {
		return fail("encoding %s is unknown; this program reads \"raw\"", shown(raw, v))
	}
	if v, there := find(raw, members, "nullable"); there && string(v.of(raw)) != "false" {
		return fail("nullable is %s; there are no null values in this format", shown(raw, v))
	}
	return f, nil
}

// decodeColumns returns the columns as JSON objects.
func (m manifest) decodeColumns() ([]map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(m.columns))
	d.UseNumber()
	var out []map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, damaged(manifestAt, "manifest: %v", err)
	}
	return out, nil
}

// shown prints a checked JSON value for a message, an empty place as one that is not there.
func shown(raw []byte, v span) string {
	s := string(v.of(raw))
	switch {
	case s == "" || s == "null":
		return "absent or null"
	case len(s) > maxShown:
		return fmt.Sprintf("JSON text of %d bytes", len(s))
	}
	return strings.Join(strings.Fields(s), " ")
}

// maxShown is the longest value that a message shows.
const maxShown = 40

// isNumber reports whether a checked JSON value is that number, however it is spelled.
func isNumber(raw []byte, want float64) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && f == want
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

// appendQuoted writes a JSON string in pure printable ASCII.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		dst = appendEscaped(dst, r)
	}
	return append(dst, '"')
}

// appendEscaped writes a character of a JSON string in pure printable ASCII.
func appendEscaped(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\b':
		return append(dst, `\b`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\f':
		return append(dst, `\f`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r >= ' ' && r < 0x7f:
		return append(dst, byte(r))
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		return appendHex4(appendHex4(dst, hi), lo)
	default:
		return appendHex4(dst, r)
	}
}

func appendHex4(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
