package cstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// testContext is for what runs inside of properties, which have no context.
var testContext = context.Background()

// heldTable is what a file holds: its columns, and the bytes of each record.
type heldTable struct {
	schema  string
	records []string
	rows    []int64
}

func tableOf(t errorer, path string) heldTable {
	t.Helper()
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer r.Close()
	batches, err := r.Map(nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	out := heldTable{schema: r.Schema().String()}
	for _, b := range batches {
		var record []byte
		for i := range b.Schema().Len() {
			data, _ := b.At(i).Bytes()
			record = append(record, data...)
		}
		out.records, out.rows = append(out.records, string(record)), append(out.rows, int64(b.Rows()))
		b.Release()
	}
	return out
}

// errorer is what a test and a property have in common.
type errorer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// repaired repairs the bytes of a file and returns the table and what was told; the damaged file stays as it is, and the
// repaired one holds what it says.
func repaired(t errorer, dir string, data []byte, o cstore.RepairOptions) (heldTable, *cstore.Repaired, error) {
	t.Helper()
	path := filepath.Join(dir, "damaged.cstore")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatalf("%v", err)
	}
	o.Out, o.Replace = filepath.Join(dir, "repaired.cstore"), true
	ctx := testContext
	r, err := cstore.Repair(ctx, path, &o)
	if after, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(after, data) {
		t.Fatalf("the damaged file was changed: %v", readErr)
	}
	if err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != path && e.Path != o.SchemaFrom {
			t.Errorf("%v does not name the file", err)
		}
		return heldTable{}, nil, err
	}
	v, err := cstore.Verify(ctx, o.Out, nil)
	if err != nil || len(v.Findings) > 0 || strings.Contains(fmt.Sprint(v.Notes), "no part of the table") {
		t.Fatalf("the repaired file: %v, %+v", err, v)
	}
	if v.Rows != r.Kept.Rows {
		t.Errorf("%d rows are there, %d are told", v.Rows, r.Kept.Rows)
	}
	return tableOf(t, o.Out), r, nil
}

// layout tells where the parts of a golden file lie.
type layout struct {
	golden.File

	data []byte
}

func layouts(t *testing.T) []layout {
	var out []layout
	for _, f := range golden.Load(t).Files {
		// A crashed writer's rows cannot be told from others when the counters are damaged: TestRepairUncommitted.
		if f.Rows > 0 && f.Name != "crashed.cstore" {
			out = append(out, layout{f, golden.Bytes(t, f.Name)})
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d files", len(out))
	}
	return out
}

// counters sets the counters of a file, with their checksum.
func setCounters(data []byte, records, rows, stats int64) {
	binary.LittleEndian.PutUint64(data[8:], uint64(records))
	binary.LittleEndian.PutUint64(data[16:], uint64(rows))
	binary.LittleEndian.PutUint64(data[24:], uint64(stats))
	binary.LittleEndian.PutUint32(data[32:], crc32.ChecksumIEEE(data[8:32]))
}

// Every golden file, damaged in each place of its structure, is repaired: what is intact is kept to the byte, and the
// rest is told.
func TestRepairGolden(t *testing.T) {
	dir := t.TempDir()
	for _, f := range layouts(t) {
		want := tableOf(t, golden.Path(t, f.Name))
		last := len(f.RecordList) - 1
		lastAt := f.RecordList[last].HeaderOffset
		tests := []struct {
			name    string
			damage  func(b []byte) []byte
			o       cstore.RepairOptions
			records int // that are kept; -1: all
			fails   bool
			intact  bool // the file stays readable
		}{
			{name: "nothing", damage: func(b []byte) []byte { return b }, records: -1, intact: true},
			{name: "magic", damage: func(b []byte) []byte { b[0] ^= 1; return b }, records: -1},
			{name: "magic and counters", damage: func(b []byte) []byte { b[0] ^= 1; b[9] ^= 1; return b }, records: -1},
			{name: "counters", damage: func(b []byte) []byte { b[17] ^= 0x40; return b }, records: -1},
			{name: "counters negative", damage: func(b []byte) []byte { setCounters(b, -1, -1, 0); return b }, records: -1},
			{name: "too few rows", damage: func(b []byte) []byte { setCounters(b, f.Records, f.Rows-1, f.StatsOffset); return b }, records: -1},
			{name: "too many records", damage: func(b []byte) []byte { setCounters(b, f.Records+1, f.Rows, f.StatsOffset); return b }, records: -1},
			{name: "manifest length", damage: func(b []byte) []byte { b[78] = 7; return b }, records: -1},
			{name: "manifest length 0", damage: func(b []byte) []byte { clear(b[72:80]); return b }, records: -1},
			{name: "footer", damage: func(b []byte) []byte {
				if f.StatsOffset > 0 {
					b[f.StatsOffset+9] ^= 1
				}
				return b
			}, records: -1, intact: f.StatsOffset == 0},
			{name: "last header", damage: func(b []byte) []byte { b[lastAt] ^= 1; return b }, records: last, fails: f.Rows == f.RecordList[last].Rows},
			{name: "last header salvaged", damage: func(b []byte) []byte { b[lastAt+13] ^= 1; return b }, o: cstore.RepairOptions{Salvage: true}, records: -1},
			{name: "first header salvaged", damage: func(b []byte) []byte { b[f.DataOffset+29] ^= 1; return b }, o: cstore.RepairOptions{Salvage: true}, records: -1},
			{name: "cut body", damage: func(b []byte) []byte { return b[:lastAt+33] }, records: last, fails: f.Rows == f.RecordList[last].Rows},
			{name: "cut header", damage: func(b []byte) []byte { return b[:lastAt+8] }, records: last, fails: f.Rows == f.RecordList[last].Rows},
		}
		for _, test := range tests {
			t.Run(f.Name+"/"+test.name, func(t *testing.T) {
				if f.RecordList[last].Rows == 0 && (strings.Contains(test.name, "last header") || strings.Contains(test.name, "cut")) || f.RecordList[0].Rows == 0 && strings.Contains(test.name, "first") {
					return // a record without rows
				}
				got, r, err := repaired(t, dir, test.damage(slices.Clone(f.data)), test.o)
				if test.fails {
					if !errors.Is(err, colstore.ErrFormat) {
						t.Fatalf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				n := test.records
				if n < 0 {
					n = len(want.records)
				}
				if got.schema != want.schema || !slices.Equal(got.records, want.records[:n]) {
					t.Errorf("%d records of %s, want %d of %s", len(got.records), got.schema, n, want.schema)
				}
				if test.intact != (len(r.Problems) == 0) || r.Needed() == test.intact {
					t.Errorf("problems: %v", r.Problems)
				}
				if test.records >= 0 && (r.Lost.Records != int64(len(want.records)-n) || r.Lost.Rows != f.Rows-r.Kept.Rows) {
					t.Errorf("lost %+v", r.Lost)
				}
				if test.records < 0 && r.Lost != (cstore.Extent{}) {
					t.Errorf("lost %+v", r.Lost)
				}
			})
		}
	}
}

// A damaged manifest is read as it stands where only its checksum is damaged, its columns are taken from the statistics where
// there are any, and from another file where that is named.
func TestRepairManifest(t *testing.T) {
	dir := t.TempDir()
	for _, f := range layouts(t) {
		path := golden.Path(t, f.Name)
		want := tableOf(t, path)
		broken := slices.Clone(f.data)
		broken[80] ^= 0x20
		if _, _, err := repaired(t, dir, broken, cstore.RepairOptions{}); (err == nil) != (f.StatsOffset > 0) {
			t.Errorf("%s: not JSON: %v", f.Name, err)
		}
		got, r, err := repaired(t, dir, broken, cstore.RepairOptions{SchemaFrom: path})
		if err != nil || got.schema != want.schema || !slices.Equal(got.records, want.records) || r.Lost != (cstore.Extent{}) {
			t.Errorf("%s: columns of another file: %v, %+v", f.Name, err, r)
		}
		clear(broken[:80])
		got, _, err = repaired(t, dir, broken, cstore.RepairOptions{SchemaFrom: path})
		if err != nil || got.schema != want.schema || !slices.Equal(got.records, want.records) {
			t.Errorf("%s: no header at all: %v", f.Name, err)
		}
		at := bytes.LastIndex(f.data[:f.DataOffset], []byte(`"manifest_crc32": `)) + len(`"manifest_crc32": `)
		crc := slices.Clone(f.data)
		crc[at+1] ^= 1
		got, r, err = repaired(t, dir, crc, cstore.RepairOptions{})
		if err != nil || got.schema != want.schema || !slices.Equal(got.records, want.records) || len(r.Problems) != 1 || !errors.Is(r.Problems[0], colstore.ErrChecksum) {
			t.Errorf("%s: its checksum: %v, %+v", f.Name, err, r)
		}
	}
}

// The columns of another file are not taken where the records are laid out otherwise.
func TestRepairForeignColumns(t *testing.T) {
	dir := t.TempDir()
	data := golden.Bytes(t, "expr_multi.cstore")
	data[80] ^= 0x20
	setCounters(data, 4, 48, 0)
	_, _, err := repaired(t, dir, data, cstore.RepairOptions{SchemaFrom: golden.Path(t, "all_dtypes_multi.cstore")})
	if !errors.Is(err, colstore.ErrFormat) {
		t.Error(err)
	}
	if _, _, err = repaired(t, dir, data, cstore.RepairOptions{SchemaFrom: filepath.Join(dir, "none")}); err == nil {
		t.Error("a file that is not there was read")
	}
}

// All damaged fixtures come through a repair with a table that holds or an error that says why not; with every option.
func TestRepairBad(t *testing.T) {
	dir := t.TempDir()
	done := map[string]int{}
	for _, b := range golden.LoadBad(t) {
		for _, o := range []cstore.RepairOptions{{}, {Salvage: true}, {Uncommitted: true}, {SchemaFrom: golden.Path(t, "bad/reserved_nonzero.cstore"), Salvage: true}} {
			_, r, err := repaired(t, dir, golden.Bytes(t, "bad/"+b.Name), o)
			switch {
			case err != nil && !errors.Is(err, colstore.ErrFormat):
				t.Errorf("%s: %v", b.Name, err)
			case err != nil:
				done["refused"]++
			case r.Needed():
				done["repaired"]++
			default:
				done["nothing"]++
			}
			if err == nil && !r.Needed() {
				if f, openErr := cstore.Open(golden.Path(t, "bad/"+b.Name), nil); openErr != nil {
					t.Errorf("%s: nothing to repair, but %v", b.Name, openErr)
				} else {
					f.Close()
				}
			}
		}
	}
	if done["refused"] < 100 || done["repaired"] < 100 || done["nothing"] < 40 {
		t.Errorf("%v", done)
	}
}

// What was never committed is told, and taken only on request.
func TestRepairUncommitted(t *testing.T) {
	dir := t.TempDir()
	data := golden.Bytes(t, "bad/n_records_1_of_3.cstore")
	got, r, err := repaired(t, dir, data, cstore.RepairOptions{})
	if err != nil || len(got.records) != 1 || r.Uncommitted.Records != 2 || r.Uncommitted.Rows != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	got, r, err = repaired(t, dir, data, cstore.RepairOptions{Uncommitted: true})
	if err != nil || len(got.records) != 3 || !r.Needed() || r.Kept.Rows != 6 {
		t.Fatalf("%+v, %v", r, err)
	}
	data[8] ^= 1 // the counters cannot tell any more
	got, r, err = repaired(t, dir, data, cstore.RepairOptions{})
	if err != nil || len(got.records) != 3 || r.Lost != (cstore.Extent{}) || r.Uncommitted.Records != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// Without an output nothing is written; in place the file is replaced only if something is wrong.
func TestRepairPlaces(t *testing.T) {
	path := golden.Copy(t, "bad/n_records_2_of_1.cstore")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := func() int {
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	r, err := cstore.Repair(t.Context(), path, nil)
	if err != nil || len(r.Problems) != 1 || r.Output != "" || files() != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("looking changed the file")
	}
	for _, o := range []cstore.RepairOptions{{Out: path, Replace: true}, {Out: "x", InPlace: true}} {
		if _, err := cstore.Repair(t.Context(), path, &o); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r, err = cstore.Repair(t.Context(), path, &cstore.RepairOptions{InPlace: true})
	if err != nil || r.Output != path || files() != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := tableOf(t, path); len(got.records) != 1 {
		t.Errorf("%d records", len(got.records))
	}
	r, err = cstore.Repair(t.Context(), path, &cstore.RepairOptions{InPlace: true})
	if err != nil || r.Output != "" || r.Needed() || files() != 1 {
		t.Errorf("again: %+v, %v", r, err)
	}
}

// Whatever bytes outside the values are damaged, the default keeps the first records, and salvage keeps records in their
// order: no row is made up.
func TestRepairAnyDamage(t *testing.T) {
	dir := t.TempDir()
	s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Int32}, colstore.Field{Name: "b", Type: colstore.BytesOf(3)}, colstore.Field{Name: "c", Type: colstore.Float64})
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "f.cstore")
		w, err := cstore.Create(path, s, &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: rapid.Bool().Draw(t, "stats")})
		if err != nil {
			t.Fatal(err)
		}
		records := rapid.IntRange(1, 5).Draw(t, "records")
		next := int32(1)
		for range records {
			rows := rapid.IntRange(0, 4).Draw(t, "rows")
			ints, floats := make([]int32, rows), make([]float64, rows)
			for i := range ints {
				ints[i], floats[i] = next, float64(next)
				next++
			}
			bytesOf, err := colstore.NewColumn(colstore.BytesOf(3), rows, bytes.Repeat([]byte("xyz"), rows))
			if err != nil {
				t.Fatal(err)
			}
			b, err := colstore.NewBatch(s, colstore.Wrap(ints), bytesOf, colstore.Wrap(floats))
			if err == nil {
				err = w.Write(testContext, b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(testContext); err != nil {
			t.Fatal(err)
		}
		want := tableOf(t, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The places that are not values.
		var places []int
		dataAt := bytes.Index(data, []byte("REC\x01"))
		for i := range dataAt {
			places = append(places, i)
		}
		at := dataAt
		for _, n := range want.rows {
			for i := range 32 {
				places = append(places, at+i)
			}
			at += 32 + (int(n)*15+7)/8*8
		}
		for i := at; i < len(data); i++ {
			places = append(places, i)
		}
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			data[rapid.SampledFrom(places).Draw(t, "place")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		if rapid.Bool().Draw(t, "cut") {
			data = data[:rapid.IntRange(0, len(data)).Draw(t, "to")]
		}
		salvage := rapid.Bool().Draw(t, "salvage")
		got, _, err := repaired(t, dir, data, cstore.RepairOptions{Salvage: salvage})
		if err != nil {
			return
		}
		if got.schema != want.schema {
			t.Fatalf("the columns are %s", got.schema)
		}
		i := 0
		for _, r := range got.records {
			for i < len(want.records) && want.records[i] != r {
				if !salvage {
					t.Fatalf("record %q is not where it was", r)
				}
				i++
			}
			if i == len(want.records) && !(r == "" && got.rows[0] == 0) {
				t.Fatalf("record %q was made up", r)
			}
			i++
		}
	})
}

// A damaged header in the middle: what is before is kept, what is behind is told and kept on request, under new numbers.
func TestRepairSalvages(t *testing.T) {
	dir := t.TempDir()
	f := golden.Bytes(t, "expr_multi.cstore")
	want := tableOf(t, golden.Path(t, "expr_multi.cstore"))
	at := bytes.Index(f, []byte("REC\x01"))
	second := at + 32 + (len(want.records[0])+7)/8*8
	third := second + 32 + (len(want.records[1])+7)/8*8
	f[second+1] ^= 1
	got, r, err := repaired(t, dir, f, cstore.RepairOptions{})
	if err != nil || !slices.Equal(got.records, want.records[:1]) || r.Salvageable.Records != 3 || !r.StatisticsLost {
		t.Fatalf("%+v, %v", r, err)
	}
	clear(f[second:third]) // the record is gone, and the next one begins where it did
	f[third] ^= 1          // two in a row, so that neither length is known
	got, r, err = repaired(t, dir, f, cstore.RepairOptions{Salvage: true})
	if err != nil || !slices.Equal(got.records, []string{want.records[0], want.records[3]}) || r.Lost.Records != 2 || r.Lost.Rows != want.rows[1]+want.rows[2] {
		t.Fatalf("%+v, %v", r, err)
	}
}
