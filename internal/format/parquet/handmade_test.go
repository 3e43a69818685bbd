package parquet_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A handPage is a page as a test wants it, uncompressed.
type handPage struct {
	header meta.Page
	body   []byte
}

// A handColumn is one column of a handmade file of one row group.
type handColumn struct {
	element meta.Element
	rows    int
	pages   []handPage
	// change, if set, has the last word on the chunk's metadata.
	change func(c *meta.Chunk)
}

// handmade writes a file of one row group.
func handmade(tb testing.TB, change func(f *meta.File), columns ...handColumn) string {
	tb.Helper()
	out := []byte("PAR1")
	root := meta.Element{Name: "schema", Type: meta.NoType, Converted: meta.NoConverted, Children: int32(len(columns))}
	f := &meta.File{
		Version: 2, Schema: []meta.Element{root}, Rows: int64(columns[0].rows), CreatedBy: "a test",
		Groups: []meta.Group{{Rows: int64(columns[0].rows)}},
	}
	for _, c := range columns {
		f.Schema = append(f.Schema, c.element)
		chunk := meta.Chunk{Type: c.element.Type, Path: []string{c.element.Name}, Values: int64(c.rows), Data: int64(len(out)), Statistics: meta.Statistics{Nulls: -1}}
		for _, p := range c.pages {
			p.header.Size, p.header.Compressed = int32(len(p.body)), int32(len(p.body))
			out = append(p.header.Append(out), p.body...)
		}
		chunk.Compressed = int64(len(out)) - chunk.Data
		chunk.Bytes = chunk.Compressed
		if c.change != nil {
			c.change(&chunk)
		}
		f.Groups[0].Columns = append(f.Groups[0].Columns, chunk)
	}
	if change != nil {
		change(f)
	}
	n := len(out)
	out = f.Append(out)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(out)-n)), "PAR1"...)
	path := filepath.Join(tb.TempDir(), "hand.parquet")
	if err := os.WriteFile(path, out, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

func element(name string, t meta.Type) meta.Element {
	return meta.Element{Name: name, Type: t, Repetition: meta.Optional, Converted: meta.NoConverted}
}

func logical(e meta.Element, l meta.Logical) meta.Element {
	e.Logical = l
	return e
}

var textType = logical(element("c", meta.ByteArray), meta.Logical{Kind: meta.KindString})

// levels returns the definition levels of a page, one character a row: "1101".
func levels(bits string) []byte {
	v := make([]uint32, len(bits))
	for i, b := range bits {
		v[i] = uint32(b - '0')
	}
	raw := encoding.AppendHybrid(nil, v, 1)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(raw))), raw...)
}

func plainPage(bits string, body ...byte) handPage {
	return handPage{meta.Page{Type: meta.DataPage, Values: int32(len(bits)), Encoding: meta.Plain, Levels: meta.RLE}, append(levels(bits), body...)}
}

func dictPage(n int, body ...byte) handPage {
	return handPage{meta.Page{Type: meta.DictionaryPage, Values: int32(n), Encoding: meta.Plain}, body}
}

func indexPage(bits string, width int, indices ...uint32) handPage {
	body := encoding.AppendHybrid(append(levels(bits), byte(width)), indices, width)
	return handPage{meta.Page{Type: meta.DataPage, Values: int32(len(bits)), Encoding: meta.RLEDictionary, Levels: meta.RLE}, body}
}

// texts returns strings in PLAIN layout.
func texts(v ...string) (out []byte) {
	for _, s := range v {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(s))), s...)
	}
	return out
}

func ints32(v ...int32) (out []byte) {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, uint32(x))
	}
	return out
}

// int96 returns timestamps as nanoseconds of a day and days since 1970.
func int96(v ...int64) (out []byte) {
	for i := 0; i < len(v); i += 2 {
		out = binary.LittleEndian.AppendUint64(out, uint64(v[i]))
		out = binary.LittleEndian.AppendUint32(out, uint32(v[i+1]+2440588))
	}
	return out
}
