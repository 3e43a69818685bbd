package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// tableRows are the rows of the tables of these tests.
const tableRows = 40

// tables writes the files that the patterns read, as peers/patterndata.py does, of few rows, and returns their folder.
func tables(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	folder := filepath.Join(root, fmt.Sprint(tableRows))
	if err := os.MkdirAll(filepath.Join(folder, "dataset.files"), 0o777); err != nil {
		t.Fatal(err)
	}
	f8, f4 := make([]float64, tableRows), make([]float32, tableRows)
	u1, i2 := make([]uint8, tableRows), make([]int16, tableRows)
	text := make([]string, tableRows)
	a, b, c := make([]float64, tableRows), make([]float64, tableRows), make([]float64, tableRows)
	for i := range tableRows {
		f8[i], f4[i], u1[i], i2[i] = float64(i)-7.5, float32(i)-7.5, uint8(i), int16(i)-9
		text[i] = fmt.Sprintf("text %8d", i)
		a[i], b[i], c[i] = float64(i%7)-3, float64(i%5), 0.5+float64(i)/tableRows
	}
	s16 := colstore.BytesColumn(text)
	wide := []colstore.Column{colstore.Wrap(f4), colstore.Wrap(f8), colstore.Wrap(u1), colstore.Wrap(i2), s16}
	write := func(name string, names []string, records int, columns ...colstore.Column) {
		t.Helper()
		fields := make([]colstore.Field, len(names))
		for i := range fields {
			fields[i] = colstore.Field{Name: names[i], Type: columns[i].Type()}
		}
		schema, err := colstore.NewSchema(fields...)
		if err != nil {
			t.Fatal(err)
		}
		all, err := colstore.NewBatch(schema, columns...)
		if err != nil {
			t.Fatal(err)
		}
		layout := cstore.LayoutPerWrite
		w, err := cstore.Create(filepath.Join(folder, name), schema, &cstore.WriteOptions{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		for r := range records {
			if err := w.Write(t.Context(), all.Slice(all.Rows()*r/records, all.Rows()*(r+1)/records)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"f4", "f8", "u1", "i2", "s16"}
	write("wide.cstore", names, 1, wide...)
	write("mixed.cstore", names, 1, wide...)
	write("records64.cstore", names[:2], 8, wide[:2]...)
	write("records1024.cstore", names[:2], 20, wide[:2]...)
	write("dataset.files/0000.cstore", names[:2], 1, wide[0].Slice(0, 15, 1), wide[1].Slice(0, 15, 1))
	write("dataset.files/0001.cstore", names[:2], 1, wide[0].Slice(15, tableRows, 1), wide[1].Slice(15, tableRows, 1))
	write("text.cstore", []string{"word"}, 1, colstore.TextColumn(text))
	swapped := make([]byte, 0, 8*tableRows)
	for _, v := range f8 {
		swapped = binary.BigEndian.AppendUint64(swapped, math.Float64bits(v))
	}
	big, err := colstore.ParseDType(">f8")
	if err != nil {
		t.Fatal(err)
	}
	data, _, _ := colstore.Wrap(swapped).Raw()
	write("bigendian.cstore", []string{"f8"}, 1, colstore.RawColumn(big, tableRows, 8, data))
	write("expr.cstore", []string{"a", "b", "c"}, 1, colstore.Wrap(a), colstore.Wrap(b), colstore.Wrap(c))
	for _, percent := range []int{1, 10, 50, 99} {
		mask, rows := make([]byte, tableRows), []int64{}
		for i := range mask {
			if i*37%100 < percent {
				mask[i] = 1
				rows = append(rows, int64(i))
			}
		}
		slices.Reverse(mask)
		save := func(name string, v any) {
			t.Helper()
			data, err := binary.Append(nil, binary.LittleEndian, v)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, name), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		save(fmt.Sprintf("mask%d.mask", percent), mask)
		save(fmt.Sprintf("sorted%d.rows", percent), rows)
		save(fmt.Sprintf("random%d.rows", percent), append(rows, 0, tableRows-1, 3))
	}
	return root
}

// talk sends requests to a server over the folder and returns its answers.
func talk(t *testing.T, folder string, requests ...request) []reply {
	t.Helper()
	var in, out bytes.Buffer
	for _, q := range requests {
		if err := json.NewEncoder(&in).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := probe(t.Context(), &in, &out, "serve", []string{folder}); err != nil {
		t.Fatal(err)
	}
	var answers []reply
	for line := range strings.Lines(out.String()) {
		var a reply
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	return answers
}

// Every pattern runs, in every form, and all forms give the same.
func TestServePatterns(t *testing.T) {
	folder := tables(t)
	for _, p := range patterns() {
		t.Run(p.Name, func(t *testing.T) {
			prepare := request{Do: "prepare", Pattern: &p, Rows: tableRows}
			engines := talk(t, folder, prepare)[0]
			if engines.Error != "" || !slices.Contains(engines.Engines, "fresh") || !slices.Contains(engines.Engines, "fresh@2") {
				t.Fatalf("prepared %+v", engines)
			}
			requests := []request{prepare}
			for _, e := range engines.Engines {
				requests = append(requests, request{Do: "first", Engine: e}, request{Do: "run", Engine: e, Loops: 2})
			}
			answers := talk(t, folder, append(requests, request{Do: "done"})...)
			want := answers[1].Check
			for i, a := range answers[1 : len(answers)-1] {
				if a.Error != "" || a.Check == nil {
					t.Fatalf("%+v: %+v", requests[i+1], a)
				}
				if err := a.Check.differs(*want, tableRows); err != nil {
					t.Errorf("%+v: %v", requests[i+1], err)
				}
				if requests[i+1].Do == "run" && a.Seconds <= 0 {
					t.Errorf("%+v: %v seconds", requests[i+1], a.Seconds)
				}
			}
			if p.Exact && want.Words == "" || !p.Exact && want.Sum == "" {
				t.Errorf("nothing to compare: %+v", want)
			}
		})
	}
}

func TestServeChecks(t *testing.T) {
	folder := tables(t)
	first := func(name string) reply {
		t.Helper()
		for _, p := range patterns() {
			if p.Name == name {
				return talk(t, folder, request{Do: "prepare", Pattern: &p, Rows: tableRows}, request{Do: "first", Engine: "fresh"})[1]
			}
		}
		t.Fatalf("no pattern is called %s", name)
		return reply{}
	}
	var part []byte
	words := uint64(0)
	for i := tableRows / 4; i < tableRows*3/4; i++ {
		v := math.Float64bits(float64(i) - 7.5)
		part = binary.NativeEndian.AppendUint64(part, v)
		words += v
	}
	for _, name := range []string{"slice_f8", "records64_slice_f8", "records1024_slice_f8", "dataset_slice_f8", "bigendian_slice"} {
		a := first(name)
		want := check{Words: fmt.Sprint(words), CRC: crc32.ChecksumIEEE(part)}
		if a.Bytes != tableRows/2*8 || a.Check == nil || a.Check.Words != want.Words || a.Check.CRC != want.CRC {
			t.Errorf("%s: %+v, want %+v", name, a, want)
		}
	}
	if a := first("sum_f8"); a.Check == nil || a.Check.Sum != hex(40*39/2-40*7.5) {
		t.Errorf("sum: %+v", a.Check)
	}
	a := first("expr_exp")
	if a.Check == nil || len(a.Check.Values) != tableRows {
		t.Fatalf("exp: %+v", a.Check)
	}
	if err := near("exp", a.Check.Values[0], hex(math.Exp(-3)), nearValue); err != nil {
		t.Error(err)
	}
}

func TestServeRefuses(t *testing.T) {
	folder := tables(t)
	p := patterns()[0]
	missing := p
	missing.File = "missing"
	answers := talk(
		t, folder,
		request{Do: "run", Engine: "fresh", Loops: 1},
		request{Do: "prepare", Pattern: &missing, Rows: tableRows},
		request{Do: "prepare", Pattern: &p, Rows: tableRows},
		request{Do: "run", Engine: "fast", Loops: 1},
		request{Do: "run", Engine: "fresh"},
		request{Do: "sing"},
	)
	for i, want := range []string{"before anything is prepared", "missing", "", `engine "fast"`, "0 times", `no request is called "sing"`} {
		if got := answers[i].Error; want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("answer %d: %q, want %q", i, got, want)
		}
	}
	if err := serve(t.Context(), strings.NewReader("{"), &bytes.Buffer{}, folder); err == nil {
		t.Error("half a request is accepted")
	}
}
