package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func timedForTest() []timing {
	e := func(pattern string, rows int, engine string, least, median float64) timing {
		return timing{Pattern: pattern, Rows: rows, Engine: engine, Min: least, Median: median, Rounds: 7}
	}
	return []timing{
		e("slice_f8", 1000, "fresh", 1, 2), e("slice_f8", 1000, "colstore", 2, 2),
		e("slice_f8", 10_000_000, "fresh", 3, 3), e("slice_f8", 10_000_000, "into", 1, 1), e("slice_f8", 10_000_000, "copy", 0.5, 0.5),
		e("slice_f8", 10_000_000, "colstore", 2, 2),
		{Pattern: "slice_f8", Rows: 10_000_000, Engine: "duckdb", Note: "no"},
		e("query", 1000, "fresh@2", 3, 3), e("query", 1000, "polars", 2, 3),
		e("mask10_f8", 200_000_000, "fresh", 1, 1), e("mask10_f8", 200_000_000, "colstore", 2, 2),
		e("mask10_f8", 1000, "fresh", 1, 1), e("mask10_f8", 1000, "colstore", 4, 5),
		e("dataset_slice_f4", 1000, "fresh", 1, 1), e("dataset_slice_f4", 1000, "colstore", 1, 1),
	}
}

func TestWritePatterns(t *testing.T) {
	var b strings.Builder
	if err := writePatterns(&b, timedForTest()); err != nil {
		t.Fatal(err)
	}
	want := `pattern           ours     beside    at most    1 k            10 M           200 M
slice_f8          fresh    colstore  1.05       0.50 (1.00)    1.50 (1.50) !
                  into     colstore  0.45                      0.50 (0.50) !
                  into     copy      1.18                      2.00 (2.00) !
query             fresh@2  polars    1.00       1.50 (1.00) !
mask10_f8         fresh    colstore  0.33/0.50  0.25 (0.20)                   0.50 (0.50)
dataset_slice_f4  fresh    colstore  1.05       1.00 (1.00)

4 of 8 targets reached
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if err := writePatterns(&b, nil); err != nil {
		t.Error(err)
	}
}

func TestTargetsOfPatterns(t *testing.T) {
	e := func(pattern, engine string, least float64) timing {
		return timing{Pattern: pattern, Rows: memory, Engine: engine, Min: least, Median: least, Rounds: 7}
	}
	got := judge([]timing{
		e("records1024_random10_f8", "into", 3), e("random10_f8", "into", 2), e("random10_f8", "into@2", 1),
		e("random10_f8", "random", 2), e("sum_f8", "fresh", 1), e("sum_f8", "fresh@2", 1), e("sum_f8", "read", 1),
		e("dict8", "fresh@2", 1), e("dict8", "colstore", 3), e("dict8", "colstore@1", 2),
	})
	var all []string
	for _, v := range got {
		all = append(all, strings.Join([]string{v.pattern, v.ours, v.beside}, " "))
	}
	want := []string{
		"records1024_random10_f8 into random10_f8",
		"random10_f8 into best random", "random10_f8 into@2 into",
		"sum_f8 fresh read", "sum_f8 fresh@2 fresh",
		"dict8 fresh@2 best colstore",
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Fatal(diff)
	}
	for i, ratio := range []float64{1.5, 1, 0.5, 1, 1, 0.5} {
		if got[i].min != ratio {
			t.Errorf("%s: %v, want %v", all[i], got[i].min, ratio)
		}
	}
}

func TestReadReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	timed := timedForTest()
	all := []error{l.write([]result{{Workload: "w"}}), l.line(map[string]string{"machine": "here", "peers": "numpy"})}
	for _, e := range timed {
		all = append(all, l.line(e))
	}
	if err := errors.Join(append(all, l.close())...); err != nil {
		t.Fatal(err)
	}
	got, err := readReport(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report{Machine: "here", Peers: "numpy", timed: timed}, got, cmp.AllowUnexported(report{})); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(path, []byte("{\"machine\": \"here\"}\n{\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readReport(path); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(path, []byte("{\"machine\": \"here\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readReport(path); err == nil || !strings.Contains(err.Error(), "no access pattern") {
		t.Errorf("error %v", err)
	}
}

func TestInto(t *testing.T) {
	r := report{timed: append(timedForTest(), timing{Pattern: "slice_f8", Rows: 1000, Engine: "numpy", Min: 4, Rounds: 3})}
	got, err := r.into("a\n" + shortMark + "\nold\n" + endMark + "\nb\n")
	want := "a\n" + shortMark + `
| rows | 1 k | 10 M | 200 M |
|---|---|---|---|
| half of a column, in one piece | | | |
| by a mask | | | |
` + endMark + "\nb\n"
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	r.timed[0].Engine = "into"
	if got, err = r.into(shortMark + endMark); err != nil || !strings.Contains(got, "in one piece | 0.50 · 0.25 | | |") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = r.into(fullMark + endMark); err != nil || !strings.Contains(got, "| slice_f8 |") || !strings.Contains(got, "**2.00 (2.00)**") {
		t.Errorf("%q, %v", got, err)
	}
	for _, document := range []string{"", shortMark, endMark + fullMark} {
		if _, err := r.into(document); err == nil {
			t.Errorf("%q has a place", document)
		}
	}
}

func TestDrawing(t *testing.T) {
	svg := drawing(timedForTest())
	if !bytes.Equal(svg, drawing(timedForTest())) {
		t.Error("two charts of the same are different")
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">slice_f8<", ">1 k rows<", "slice_f8, 10 M rows: 0.50<", "mask10_f8, 200 M rows: 0.50<"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the chart has no %q", want)
		}
	}
}

// The documents show what was measured last, and nothing else.
func TestDocumentsAreGenerated(t *testing.T) {
	const remedy = "go run ./benchmark -report benchmark/patterns.json -docs docs/performance.md,README.md"
	r, err := readReport("patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join("..", "docs", "performance.md"), filepath.Join("..", "README.md")} {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.into(string(document))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(document)); diff != "" {
			t.Errorf("%s: run %s\n%s", path, remedy, diff)
		}
	}
	chart, err := os.ReadFile(filepath.Join("..", "docs", chartName))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(chart, drawing(r.timed)) {
		t.Errorf("the chart is another; run %s", remedy)
	}
}

func TestWriteDocs(t *testing.T) {
	dir := t.TempDir()
	full, short := filepath.Join(dir, "full.md"), filepath.Join(dir, "short.md")
	err := errors.Join(os.WriteFile(full, []byte(fullMark+endMark), 0o666), os.WriteFile(short, []byte(shortMark+endMark), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDocs("patterns.json", []string{full, short}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"full.md", "short.md", chartName} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() < 500 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
	for _, documents := range [][]string{{filepath.Join(dir, "missing.md")}, {filepath.Join(dir, chartName)}} {
		if err := writeDocs("patterns.json", documents); err == nil {
			t.Errorf("%q is written", documents)
		}
	}
}
