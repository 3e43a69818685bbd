package npz_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// npy returns an array of bytes with a header of version 1.
func npy(descr, shape string, data []byte) []byte {
	text := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(append(out, text...), data...)
}

// ints returns an array of rows numbers.
func ints(rows int) []byte {
	data := make([]byte, 4*rows)
	for i := range rows {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(i))
	}
	return npy("'<i4'", fmt.Sprintf("(%d,)", rows), data)
}

// part is a member of an archive made by hand. A raw one is written with the sizes, CRC and flags that it has.
type part struct {
	name   string
	data   []byte
	method uint16
	raw    *zip.FileHeader
}

// archive writes an archive and returns its path.
func archive(tb testing.TB, parts ...part) string {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: p.method}
		var to io.Writer
		var err error
		if p.raw != nil {
			p.raw.Name, p.raw.Method = p.name, p.method
			to, err = w.CreateRaw(p.raw)
		} else {
			to, err = w.CreateHeader(h)
		}
		if err == nil {
			_, err = to.Write(p.data)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return put(tb, b.Bytes())
}

func put(tb testing.TB, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "f.npz")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 6)
	if err != nil {
		panic(err) // the level is one there is
	}
	_, _ = w.Write(data) // to memory
	_ = w.Close()
	return b.Bytes()
}

// lying returns the header of a member whose directory declares these sizes.
func lying(stored, declared []byte) *zip.FileHeader {
	return &zip.FileHeader{CRC32: crc32.ChecksumIEEE(declared), CompressedSize64: uint64(len(stored)), UncompressedSize64: uint64(len(declared))}
}

// Every damage is one clear error that names file and member; other columns can be read where the archive is whole.
func TestHostile(t *testing.T) {
	good := ints(1000)
	wrongCRC := func(stored []byte) *zip.FileHeader {
		h := lying(stored, good)
		h.CRC32 ^= 1
		return h
	}
	sized := func(stored []byte, size uint64) *zip.FileHeader {
		h := lying(stored, good)
		h.UncompressedSize64 = size
		return h
	}
	packed := deflated(good)
	encrypted := lying(good, good)
	encrypted.Flags = 1
	tests := []struct {
		name string
		bad  part
		want error
		text string
	}{
		{"stored, wrong CRC", part{data: good, raw: wrongCRC(good)}, colstore.ErrChecksum, "the archive has"},
		{"deflated, wrong CRC", part{data: packed, method: 8, raw: wrongCRC(packed)}, colstore.ErrChecksum, "the archive has"},
		{"stored, two sizes", part{data: good, raw: sized(good, 5)}, colstore.ErrFormat, "declares"},
		{"deflated, too much declared", part{data: packed, method: 8, raw: lying(packed, ints(1001))}, colstore.ErrFormat, "do not take"},
		{"deflated, cut", part{data: packed[:len(packed)/2], method: 8, raw: lying(packed[:len(packed)/2], good)}, colstore.ErrTruncated, "ends after"},
		{"deflated, noise", part{data: bytes.Repeat([]byte{0x55}, 400), method: 8, raw: lying(make([]byte, 400), good)}, colstore.ErrFormat, "damaged"},
		{"deflated, more than declared", part{data: deflated(append(bytes.Clone(good), 1)), method: 8, raw: lying(deflated(append(bytes.Clone(good), 1)), good)}, colstore.ErrFormat, "more than"},
		{"deflated, impossible", part{data: packed, method: 8, raw: sized(packed, 1<<40)}, colstore.ErrFormat, "more than deflate"},
		{"bzip2 bomb", part{data: packed, method: 12, raw: sized(packed, 1<<40)}, colstore.ErrFormat, "limits.expand"},
		{"bzip2, noise", part{data: packed, method: 12, raw: lying(packed, good)}, colstore.ErrFormat, "damaged"},
		{"LZMA", part{data: packed, method: 14, raw: lying(packed, good)}, colstore.ErrFormat, "LZMA"},
		{"another method", part{data: packed, method: 93, raw: lying(packed, good)}, colstore.ErrFormat, "method 93"},
		{"encrypted", part{data: good, raw: encrypted}, colstore.ErrFormat, "encrypted"},
		{"no array", part{data: []byte("what an array is not")}, colstore.ErrFormat, "no array"},
		{"empty", part{}, colstore.ErrTruncated, "ends inside"},
		{"cut in the header", part{data: good[:20]}, colstore.ErrTruncated, "ends inside"},
		{"version 4", part{data: append([]byte("\x93NUMPY\x04\x00"), good[8:]...)}, colstore.ErrFormat, "version 4"},
		{"endless header", part{data: append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), good...)}, colstore.ErrFormat, "beyond reason"},
		{"rows that are not there", part{data: npy("'<i4'", "(9223372036854775807,)", nil)}, colstore.ErrFormat, "do not take"},
		{"bytes behind the rows", part{data: append(bytes.Clone(good), 0)}, colstore.ErrFormat, "do not take"},
		{"two dimensions", part{data: npy("'<i4'", "(2, 3)", make([]byte, 24))}, colstore.ErrType, "2 dimensions"},
		{"object", part{data: npy("'|O'", "(2,)", nil)}, colstore.ErrType, "pickle"},
		{"structure", part{data: npy("[('a', '<i4')]", "(1000,)", make([]byte, 4000))}, colstore.ErrType, "structured"},
		{"complex", part{data: npy("'<c16'", "(1,)", make([]byte, 16))}, colstore.ErrType, "complex"},
		{"80 bits", part{data: npy("'<f16'", "(1,)", make([]byte, 16))}, colstore.ErrType, "80-bit"},
		{"without a width", part{data: npy("'|S0'", "(1,)", nil)}, colstore.ErrType, "S0"},
		{"another length", part{data: ints(999)}, colstore.ErrMismatch, "999 rows"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			c.bad.name = "bad.npy"
			path := archive(t, part{name: "good.npy", data: good}, c.bad)
			for _, scan := range []colstore.Scan{{}, {BatchRows: 7, Threads: 2}} {
				_, err := readTable(path, nil, scan)
				e, ok := errors.AsType[*colstore.Error](err)
				if !ok || !errors.Is(err, c.want) || e.Path != path || e.Column != "bad" || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v; want %v with %q, naming file and column", err, c.want, c.text)
				}
			}
			if b, err := readTable(path, []string{"good"}, colstore.Scan{}); err != nil || b.Rows() != 1000 {
				t.Errorf("the good column: %v", err)
			}
		})
	}
}

// The structure of an archive is checked when it is opened.
func TestBadArchives(t *testing.T) {
	whole, err := os.ReadFile(archive(t, part{name: "a.npy", data: ints(3)}, part{name: "b.npy", data: ints(3)}))
	if err != nil {
		t.Fatal(err)
	}
	// Both entries of the directory show the member that begins the file: a bomb of overlapping members.
	overlapping := bytes.Clone(whole)
	entry := bytes.LastIndex(overlapping, []byte("PK\x01\x02"))
	clear(overlapping[entry+42 : entry+46])
	moved := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(moved[entry+42:], 7)
	long := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(long[entry+20:], 1<<20)
	binary.LittleEndian.PutUint32(long[entry+24:], 1<<20)
	tests := []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"nothing", nil, colstore.ErrFormat, "not a zip file"},
		{"cut", whole[:len(whole)-10], colstore.ErrFormat, "not a zip file"},
		{"an array", ints(3), colstore.ErrFormat, "numpy.savez"},
		{"overlapping", overlapping, colstore.ErrFormat, "share the bytes"},
		{"a header that is none", moved, colstore.ErrFormat, "damaged or missing"},
		{"beyond the end", long, colstore.ErrTruncated, "beyond the end"},
	}
	for _, c := range tests {
		path := put(t, c.data)
		_, err := openFile(path, nil)
		if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != path || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %v with %q", c.name, err, c.want, c.text)
		}
	}
	if _, err := openFile(archive(t, part{name: "a.npy", data: ints(3)}, part{name: "a.npy", data: ints(3)}), nil); !errors.Is(err, colstore.ErrDuplicate) {
		t.Errorf("two members of one name: %v", err)
	}
	if _, err := openFile(archive(t, part{name: "a.txt", data: ints(3)}), nil); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no array: %v", err)
	}
	if _, err := openFile(t.TempDir(), nil); err == nil {
		t.Error("a folder opens")
	}
}

// A part of a column cannot be held against its CRC; what is read of it is there.
func TestPartsAreNotChecked(t *testing.T) {
	good := ints(1000)
	h := lying(good, good)
	h.CRC32 ^= 1
	path := archive(t, part{name: "a.npy", data: good, raw: h})
	for _, rows := range []colstore.Range{{Begin: 0, End: 10}, {Begin: 990, End: 1000}} {
		if b, err := readTable(path, nil, colstore.Scan{Rows: rows}); err != nil || b.Rows() != 10 {
			t.Errorf("%v: %v", rows, err)
		}
	}
}

// Columns of no rows are checked too.
func TestNoRows(t *testing.T) {
	for _, method := range []uint16{0, 8} {
		if b, err := readTable(archive(t, part{name: "a.npy", data: ints(0), method: method}), nil, colstore.Scan{}); err != nil || b.Rows() != 0 {
			t.Errorf("method %d: %v", method, err)
		}
	}
	h := lying(ints(0), ints(0))
	h.CRC32 ^= 1
	if _, err := readTable(archive(t, part{name: "a.npy", data: ints(0), raw: h}), nil, colstore.Scan{}); !errors.Is(err, colstore.ErrChecksum) {
		t.Errorf("a wrong CRC of no rows: %v", err)
	}
}

// Old archives have names in the IBM PC's characters; folders of an archive are nothing to warn of.
func TestNames(t *testing.T) {
	path := archive(t, part{name: "d/"}, part{name: "d/\x82t\x82.npy", data: ints(3)}, part{name: "../b.npy", data: ints(3)})
	f, err := openFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := strings.Join(f.Names(), ","); got != "d/été,../b" {
		t.Errorf("names %q", got)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if w := src.(colstore.Warner).Warnings(); w != nil {
		t.Errorf("warnings %q", w)
	}
	if _, err := f.Source(t.Context(), format.Projection{Columns: []string{"nothing"}}); !errors.Is(err, colstore.ErrNoColumn) || !strings.Contains(err.Error(), path) {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := f.Source(t.Context(), format.Projection{Columns: []string{"../b", "../b"}}); !errors.Is(err, colstore.ErrDuplicate) {
		t.Errorf("a column twice: %v", err)
	}
}

// Stored columns are views that outlive the file; compressed ones take what Cost says.
func TestViews(t *testing.T) {
	path := archive(t, part{name: "a.npy", data: ints(1000)}, part{name: "z.npy", data: ints(1000), method: 8},
		part{name: "big.npy", data: npy("'>i4'", "(1000,)", make([]byte, 4000))})
	f, err := openFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	cost := src.(colstore.Coster)
	for column, want := range map[string]colstore.Cost{"a": {Rescan: true}, "z": {Fixed: 40 << 10, Row: 4}, "big": {Row: 4, Rescan: true}} {
		if got := cost.Cost([]string{column}); got != want {
			t.Errorf("cost of %s: %+v, want %+v", column, got, want)
		}
	}
	mem := &counting{}
	for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"a"}, Mem: mem}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		defer func() {
			v, err := colstore.CopyOf[int32](b.At(0))
			if err != nil || v[999] != 999 {
				t.Errorf("after closing: %v", err)
			}
			b.Release()
		}()
	}
	if mem.out != 0 || mem.most != 0 {
		t.Errorf("a view took %d bytes", mem.most)
	}
	for _, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 100, Mem: mem}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if mem.out != 0 || mem.most != 800 {
		t.Errorf("%d bytes are out, at most %d were", mem.out, mem.most)
	}
	mem.limit = 500
	for _, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 100, Mem: mem}) {
		if !errors.Is(err, colstore.ErrBudget) {
			t.Errorf("a budget that is too small: %v", err)
		}
	}
	if mem.out != 0 {
		t.Errorf("%d bytes are out", mem.out)
	}
	if err := errors.Join(src.Close(), f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, err := range src.Scan(t.Context(), colstore.Scan{}) {
		if !errors.Is(err, colstore.ErrClosed) {
			t.Errorf("a scan of a closed source: %v", err)
		}
	}
}

// counting is an allocator that counts.
type counting struct{ out, most, limit int }

func (c *counting) Get(n int) []byte {
	if c.limit > 0 && c.out+n > c.limit {
		return nil
	}
	c.out += n
	c.most = max(c.most, c.out)
	return make([]byte, n)
}
func (c *counting) Put(b []byte) { c.out -= len(b) }

// FuzzOpen opens any bytes as an archive: they are refused, or every column of every row can be read or is refused.
func FuzzOpen(f *testing.F) {
	for _, parts := range [][]part{
		{{name: "a.npy", data: ints(3)}, {name: "b.npy", data: ints(3), method: 8}},
		{{name: "x.txt", data: []byte("x")}, {name: "a.npy", data: npy("'|S2'", "()", []byte("ab"))}},
	} {
		data, err := os.ReadFile(archive(f, parts...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, name := range []string{"types_z", "bigendian", "bzip2", "object", "structured", "versions"} {
		f.Add(golden.Bytes(f, "foreign/npz/"+name+".npz"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := openFile(put(t, data), nil)
		if err != nil {
			if _, ok := errors.AsType[*colstore.Error](err); !ok {
				t.Fatalf("not of ours: %v", err)
			}
			return
		}
		defer a.Close()
		for _, n := range a.Names() {
			src, err := a.Source(t.Context(), format.Projection{Columns: []string{n}})
			if err != nil {
				continue
			}
			rows := int64(0)
			failed := false
			for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 1 << 16}) {
				if failed = err != nil; failed {
					break
				}
				rows += int64(b.Rows())
			}
			if !failed && rows != src.Rows() {
				t.Fatalf("column %q has %d rows, %d were read", n, src.Rows(), rows)
			}
			src.Close()
		}
	})
}

func FuzzHeader(f *testing.F) {
	for _, text := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (128,), }   \n", "{'descr': [('a', '<i4')], 'shape': (), 'fortran_order': True}",
		`{"descr": "|S5", "fortran_order": False, "shape": (3L,)}`, "{'descr': ((((((", "{'a': None, 'b': -1, 'c': [1, (2)]}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = npz.ParseHeader(text) // must end, and not panic
	})
}
