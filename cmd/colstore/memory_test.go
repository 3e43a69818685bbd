//go:build linux && !race

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// asCommand makes the test's program the command itself.
const asCommand = "COLSTORE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if to := os.Getenv(peakTo); to != "" {
		os.Exit(measure(to))
	}
	os.Exit(m.Run())
}

// Whatever a command does with the rows, it keeps to the default budget of 64 MiB, with as much again for the program and
// what is mapped, however large the input: here it is several times that. TestStreaming has the formats.
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Log("short: an input of 64 MiB instead of 320 MiB")
	}
	rows := 5 << 20
	if testing.Short() {
		rows = 1 << 20
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.cstore")
	writeNumbers(t, in, rows)
	writeLists(t, filepath.Join(dir, "lists.jsonl"), rows/4)
	for _, line := range []string{
		"convert in.cstore -o out.parquet",
		"convert in.cstore -o cut.cstore --where 'a % 3 == 0' --assign 'z=b*2+c' --statistics",
		"convert in.cstore -o out.csv --columns a,b,c",
		"convert out.csv -o csv.parquet --where 'b > 0.25'",
		"convert in.cstore out.parquet -o both.cstore --overwrite",
		"convert in.cstore -o out.npz",
		"convert out.parquet -o cut.npz --where 'a % 3 == 0'",
		"convert out.csv -o text.jsonl --dtype b=U24 --where 'a % 4 == 0'",
		"convert in.cstore -o out.feather --columns a,h,c",
		"convert in.cstore -o stored.feather --compression none",
		"convert stored.feather -o back.cstore --columns a,h,c",
		"convert in.cstore -o out.root",
		"convert out.parquet -o cut.root --where 'a % 3 == 0' --compression zlib",
		"convert lists.jsonl -o back.cstore --jagged explode",
		"convert lists.jsonl -o back.parquet --jagged pad=2 --columns id,x",
		"convert out.parquet -o blocks.cstore --no-compact",
		"concat blocks.cstore in.cstore -o both.cstore --overwrite --statistics",
		"compact blocks.cstore --statistics",
		"verify in.cstore out.npz stored.feather",
		"stats out.parquet",
		"stats in.cstore --ops std,var,median,q0.9 --columns b,c,d --ddof 1",
		"hist out.parquet b --bins 100 --range 0,1 --weight c",
		"hist in.cstore b c --bins 50 --json",
		"cat in.cstore --rows ::-40 --columns a,h --format ndjson",
		"cat out.parquet --where 'b > 0.5' --rows ::100 --columns a,h",
		"query out.parquet 'b > 0.99' --rows-only --limit 1000",
		"convert in.cstore out.parquet -o both.cstore --on-mismatch union --sample 0.25:7",
		"report in.cstore --weight b --cut 'one=a % 2 == 0' --cut 'two=c > 0.5' --n-minus-one --vary 'scale:c=c*1.1;c*0.9'",
		"report in.cstore --weight b --cut 'one=a % 2 == 0' --cut 'two=c > 0.5'",
	} {
		peak := peakOf(t, dir, fields(line)...)
		t.Logf("%8s  %s", peak, line)
		if peak > 128*colstore.MiB {
			t.Errorf("%s took %s", line, peak)
		}
		for _, old := range []string{"back.cstore", "cut.cstore", "csv.cstore", "csv.parquet", "both.cstore", "cut.npz"} {
			_ = os.Remove(filepath.Join(dir, old)) // what later lines do not read
		}
	}
}

// writeLists writes objects with lists of up to 8 numbers, a line each.
func writeLists(t *testing.T, path string, rows int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range rows {
		_, _ = fmt.Fprintf(w, `{"id":%d,"x":[`, i)
		for k := range i * 7 % 9 {
			if k > 0 {
				_ = w.WriteByte(',')
			}
			_, _ = w.WriteString("0." + strconv.Itoa(i*k+1))
		}
		_, _ = fmt.Fprintf(w, `],"c":{"t":"row %d"}}`+"\n", i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// writeTexts writes two columns of text, of 0 to 24 characters and of 12 bytes.
func writeTexts(t *testing.T, path string, rows int) {
	t.Helper()
	s := colstore.MustSchema(colstore.Field{Name: "u", Type: colstore.TextOf(24)}, colstore.Field{Name: "s", Type: colstore.BytesOf(12)})
	w, err := cstore.Create(path, s, &cstore.WriteOptions{Layout: cstore.LayoutSingle})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	const piece = 1 << 15
	if err := w.Reserve(int64(rows)); err != nil {
		t.Fatal(err)
	}
	points, raw := make([]byte, piece*24*4), make([]byte, piece*12)
	state := uint64(1)
	for at := 0; at < rows; at += piece {
		clear(points)
		for i := range piece {
			state = state*6364136223846793005 + 1442695040888963407
			for k := range int(state >> 60 * 24 / 15) {
				points[(i*24+k)*4] = byte('a' + (state>>(k+20))&15)
			}
			copy(raw[i*12:], fmt.Sprintf("%012x", state>>16))
		}
		u, err := colstore.NewColumn(colstore.TextOf(24), piece, points)
		if err != nil {
			t.Fatal(err)
		}
		v, err := colstore.NewColumn(colstore.BytesOf(12), piece, raw)
		if err != nil {
			t.Fatal(err)
		}
		b, err := colstore.NewBatch(s, u, v)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteAt(t.Context(), int64(at), b); err != nil {
			t.Fatal(fmt.Errorf("row %d: %w", at, err))
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// writeNumbers writes eight columns of 8 bytes.
func writeNumbers(t *testing.T, path string, rows int) {
	t.Helper()
	names := strings.Split("abcdefgh", "")
	fields := make([]colstore.Field, len(names))
	for i, n := range names {
		fields[i] = colstore.Field{Name: n, Type: colstore.Float64}
	}
	fields[0].Type = colstore.Int64
	s := colstore.MustSchema(fields...)
	w, err := cstore.Create(path, s, &cstore.WriteOptions{Layout: cstore.LayoutSingle})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	const piece = 1 << 16
	if err := w.Reserve(int64(rows)); err != nil {
		t.Fatal(err)
	}
	ints, floats := make([]int64, piece), make([][]float64, len(names)-1)
	state := uint64(1)
	for at := 0; at < rows; at += piece {
		cols := make([]colstore.Column, len(names))
		for i := range ints {
			ints[i] = int64(at + i)
		}
		cols[0] = colstore.Wrap(ints)
		for c := range floats {
			if floats[c] == nil {
				floats[c] = make([]float64, piece)
			}
			for i := range floats[c] {
				state = state*6364136223846793005 + 1442695040888963407
				floats[c][i] = float64(state>>40) / (1 << 24)
			}
			cols[c+1] = colstore.Wrap(floats[c])
		}
		b, err := colstore.NewBatch(s, cols...)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteAt(t.Context(), int64(at), b); err != nil {
			t.Fatal(fmt.Errorf("row %d: %w", at, err))
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}
