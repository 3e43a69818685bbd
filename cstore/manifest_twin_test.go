package cstore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
)

// twins parses a manifest in both ways; the error says how they differ.
func twins(raw []byte) (*colstore.Schema, error) {
	_, got, err := parseManifest(raw)
	if err != nil && strings.Contains(err.Error(), "more than") {
		return nil, nil
	}
	want, wantErr := parseManifestRef(raw)
	switch {
	case (err == nil) != (wantErr == nil), errors.Is(err, colstore.ErrChecksum) != errors.Is(wantErr, colstore.ErrChecksum):
		return nil, fmt.Errorf("%q: %s, by way of a tree %s", raw, fmt.Sprint(err), fmt.Sprint(wantErr))
	case err != nil && !errors.Is(err, colstore.ErrFormat):
		return nil, fmt.Errorf("%q: not a format error: %w", raw, err)
	case err == nil && !got.Equal(want):
		return nil, fmt.Errorf("%q: %v, by way of a tree %v", raw, got, want)
	}
	return got, nil
}

// manifestOf returns the manifest of a file in memory, false if there is no room for one.
func manifestOf(data []byte) ([]byte, bool) {
	if len(data) < manifestAt {
		return nil, false
	}
	n := binary.LittleEndian.Uint64(data[manifestLenAt:])
	if n > uint64(len(data)-manifestAt) {
		return nil, false
	}
	return data[manifestAt : manifestAt+int(n)], true
}

// Every manifest of the Python package, damaged ones included, is read as its tree says.
func TestManifestTwinsGolden(t *testing.T) {
	read := 0
	for _, pattern := range []string{"*.cstore", "bad/*.cstore"} {
		paths, err := filepath.Glob(golden.Path(t, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			if m, ok := manifestOf(data); ok {
				read++
				if _, err := twins(m); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d manifests found", read)
	}
}

// JSON of all shapes, with the right checksum, a wrong one and none, is read as its tree says.
func TestManifestTwins(t *testing.T) {
	opened := 0
	rapid.Check(t, func(t *rapid.T) {
		flawed := rapid.Bool().Draw(t, "flawed") // most of the others open: not those with two columns of a name
		columns := drawArray(t, rapid.SliceOfN(rapid.Custom(columnDrawer(flawed)), 1, 4).Draw(t, "columns"))
		crc, version := `null`, "1"
		if flawed {
			version = rapid.SampledFrom([]string{"1", "1", "1", "1.0", "10e-1", "2", "null"}).Draw(t, "version")
		}
		switch rapid.IntRange(0, 4).Draw(t, "crc") {
		case 0:
			if !flawed {
				break
			}
			crc = rapid.SampledFrom([]string{"1", "true", `"x"`, "{}", "1e400", "-0"}).Draw(t, "wrong")
		case 1, 2, 3:
			var v any
			d := json.NewDecoder(strings.NewReader(columns))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%q: %v", columns, err)
			}
			crc = fmt.Sprint(crc32.ChecksumIEEE(appendCanonical(nil, map[string]any{"columns": v})))
		}
		top := []string{
			`"format_version":` + version,
			`"columns" :` + columns, `"manifest_crc32": ` + crc,
		}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			top = append(top, drawMore(t, flawed)+":"+drawValue(t, 2))
		}
		switch s, err := twins([]byte(drawObject(t, rapid.Permutation(top).Draw(t, "order")))); {
		case err != nil:
			t.Fatal(err)
		case s != nil:
			opened++
		}
	})
	if opened == 0 {
		t.Error("none of them opens")
	}
}

func drawSpace(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\t \r"}).Draw(t, "space")
}

func drawObject(t *rapid.T, members []string) string {
	return drawSpace(t) + "{" + strings.Join(members, drawSpace(t)+","+drawSpace(t)) + drawSpace(t) + "}" + drawSpace(t)
}

func drawArray(t *rapid.T, values []string) string {
	return "[" + drawSpace(t) + strings.Join(values, ","+drawSpace(t)) + drawSpace(t) + "]"
}

func drawKey(t *rapid.T) string {
	return rapid.SampledFrom([]string{`"name"`, `"dtype"`, `"\u006eame"`, `"columns"`, `"encoding"`, `"nullable"`, `"x"`, `"X"`, `""`, `"é"`, `"\u00e9"`, `"\ud83d\ude00"`, `"😀"`}).Draw(t, "key")
}

// drawMore draws the key of something more: if it is not flawed, one that no reader knows.
func drawMore(t *rapid.T, flawed bool) string {
	if flawed {
		return drawKey(t)
	}
	return rapid.SampledFrom([]string{`"x"`, `"X"`, `"\u0078y"`, `"\ud83d\ude00"`, `""`}).Draw(t, "more key")
}

func drawValue(t *rapid.T, depth int) string {
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
		return drawNumber(t)
	case 1:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
	case 2:
		if depth > 0 {
			n := rapid.IntRange(0, 3).Draw(t, "members")
			members := make([]string, n)
			for i := range members {
				members[i] = drawKey(t) + drawSpace(t) + ":" + drawSpace(t) + drawValue(t, depth-1)
			}
			return strings.TrimSpace(drawObject(t, members))
		}
	case 3:
		if depth > 0 {
			values := make([]string, rapid.IntRange(0, 3).Draw(t, "values"))
			for i := range values {
				values[i] = drawValue(t, depth-1)
			}
			return drawArray(t, values)
		}
	}
	return drawText(t)
}

func drawNumber(t *rapid.T) string {
	return rapid.SampledFrom([]string{"0", "-0", "-0.0", "1", "-17", "1e5", "1E+22", "1.5e-7", "1e16", "123456789012345678901234567890", "1e400", "-1e400", "0.1", "100.0"}).Draw(t, "number")
}

func drawText(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "Z9", " ", "/", `\/`, `\"`, `\\`, `\b\f\n\r\t`, `\u0041`, `\u00E9`, "é", "\x7f", `\u007f`, "😀",
		`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\u0041`, `\ud83dx`, "<>&", "\u2028",
	}), 0, 4).Draw(t, "text")
	return `"` + strings.Join(parts, "") + `"`
}

// columnDrawer draws what a manifest says of a column; if it is not flawed, of one that can be read.
func columnDrawer(flawed bool) func(*rapid.T) string {
	dtypes, encodings, nullables := []string{`"<i4"`, `"<f8"`, `"|S3"`, `"\u003cf8"`, `">u2"`, `"<M8[ns]"`}, []string{`"raw"`, `"r\u0061w"`}, []string{"false"}
	if flawed {
		dtypes, encodings, nullables = append(dtypes, `"|O"`, "4"), append(encodings, `"zip"`, "null"), append(nullables, "true", "null")
	}
	return func(t *rapid.T) string {
		members := []string{`"name":` + drawText(t), `"dtype": ` + rapid.SampledFrom(dtypes).Draw(t, "dtype")}
		if rapid.Bool().Draw(t, "encoded") {
			members = append(members, `"encoding": `+rapid.SampledFrom(encodings).Draw(t, "encoding"))
		}
		if rapid.Bool().Draw(t, "nulls") {
			members = append(members, `"nullable": `+rapid.SampledFrom(nullables).Draw(t, "nullable"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "unknown") {
			members = append(members, drawMore(t, flawed)+":"+drawValue(t, 3))
		}
		return strings.TrimSpace(drawObject(t, rapid.Permutation(members).Draw(t, "order")))
	}
}

// What is no JSON is none for either.
func TestManifestTwinsBroken(t *testing.T) {
	whole := `{"format_version": 1, "columns": [{"name": "a\u00e9", "dtype": "<i4", "more": [-1.5e+3, {"x": null}, true]}]}`
	for i := range len(whole) + 1 {
		for _, c := range append([]string{"", whole[i:]}, strings.Split(`{,},[,],",:,\,0,-,.,e,u,t, ,é,`+"\x01", ",")...) {
			for _, drop := range []int{0, 1} {
				if _, err := twins([]byte(whole[:i] + c + whole[min(i+drop, len(whole)):])); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// parseManifestRef is parseManifest by way of a tree of all values: what it means.
func parseManifestRef(raw []byte) (*colstore.Schema, error) {
	fail := func(format string, args ...any) (*colstore.Schema, error) {
		return nil, damaged(manifestAt, "manifest: "+format, args...)
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
		return fail("format_version is %v; this program reads version %d", obj["format_version"], formatVersion)
	}
	columns, ok := obj["columns"].([]any)
	if !ok {
		return fail("columns is no array")
	}
	if len(columns) == 0 {
		return fail("no columns")
	}
	if stored := obj["manifest_crc32"]; stored != nil {
		sum := crc32.ChecksumIEEE(appendCanonical(nil, map[string]any{"columns": columns}))
		if v, ok := stored.(json.Number); !ok || !isUint32(v, sum) {
			return nil, fmt.Errorf("%w at offset %d: the manifest has %v, its columns give %d",
				colstore.ErrChecksum, manifestAt, stored, sum)
		}
	}
	fields := make([]colstore.Field, len(columns))
	for i, c := range columns {
		col, ok := c.(map[string]any)
		if !ok {
			return fail("column %d is no object", i)
		}
		f, err := parseColumnRef(col, i)
		if err != nil {
			return nil, err
		}
		fields[i] = f
	}
	s, err := colstore.NewSchema(fields...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err)
	}
	return s, nil
}

func parseColumnRef(col map[string]any, i int) (colstore.Field, error) {
	var f colstore.Field
	name, ok := col["name"].(string)
	if !ok {
		return f, damaged(manifestAt, "manifest: the name of column %d is %v, not text", i, col["name"])
	}
	fail := func(format string, args ...any) (colstore.Field, error) {
		return f, &colstore.Error{Column: name, Err: damaged(manifestAt, "manifest: "+format, args...)}
	}
	code, ok := col["dtype"].(string)
	if !ok {
		return fail("the dtype is %v, not text", col["dtype"])
	}
	t, err := colstore.ParseCode(code)
	if err != nil {
		return f, &colstore.Error{Column: name, Err: fmt.Errorf("%w: %w", damaged(manifestAt, "manifest"), err)}
	}
	if e, there := col["encoding"]; there && e != "raw" {
		return fail("encoding is %v", e)
	}
	if n, there := col["nullable"]; there && n != false {
		return fail("nullable is %v", n)
	}
	return colstore.Field{Name: name, Type: t}, nil
}

func isOne(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f == formatVersion
}

func isUint32(n json.Number, want uint32) bool {
	f, err := n.Float64()
	return err == nil && f == float64(want)
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
