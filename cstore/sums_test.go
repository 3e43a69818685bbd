package cstore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// summed writes a file of records of some rows, one of them of several blocks of sums, and the sums of it.
func summed(t *testing.T) (path string, rows []int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "f.cstore")
	rows = []int{3, 300_000, 0, 7}
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}, colstore.Field{Name: "n", Type: colstore.Int16})
	w, err := cstore.Create(path, s, &cstore.WriteOptions{Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, n := range rows {
		floats, ints := make([]float64, n), make([]int16, n)
		for i := range floats {
			floats[i], ints[i] = float64(i)/4, int16(i)
		}
		b, err := colstore.NewBatch(s, colstore.Wrap(floats), colstore.Wrap(ints))
		if err == nil {
			err = w.Write(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := cstore.Verify(t.Context(), path, &cstore.VerifyOptions{WriteSums: true})
	if err != nil || len(v.Findings) > 0 || v.Written != cstore.SumsPath(path) {
		t.Fatalf("%+v, %v", v, err)
	}
	return path, rows
}

func verified(t *testing.T, path string, o cstore.VerifyOptions) *cstore.Verification {
	t.Helper()
	v, err := cstore.Verify(t.Context(), path, &o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// change flips a bit of a file.
func change(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	if err == nil {
		b[0] ^= 4
		_, err = f.WriteAt(b[:], at)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// A changed bit is found wherever it is, with its record, column and rows, whatever the threads; changed back, all holds.
func TestSumsFindChanges(t *testing.T) {
	path, _ := summed(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := int64(bytes.Index(data, []byte("REC\x01"))) + 32
	second := body + 32 + 32 // 3 rows of 10 bytes, padded
	for _, test := range []struct {
		at   int64
		want string // record, column, first row, the last
	}{
		{body, "0 x 0 2"},
		{body + 3*8 + 5, "0 n 0 2"},
		{second, "1 x 3 131074"},
		{second + 8*131_072, "1 x 131075 262146"},
		{second + 8*299_999 + 7, "1 x 262147 300002"},
		{second + 8*300_000 + 2*299_999, "1 n 3 300002"},
	} {
		change(t, path, test.at)
		for threads := range 3 {
			v := verified(t, path, cstore.VerifyOptions{Threads: threads})
			if len(v.Findings) == 0 {
				t.Fatalf("%s: nothing is found", test.want)
			}
			f := v.Findings[len(v.Findings)-1] // statistics may have been changed too
			record, _ := f.Record.Get()
			row, _ := f.Row.Get()
			var first, last int64
			if _, err := fmt.Sscanf(f.Err.Error(), "checksum mismatch: among the rows %d to %d are", &first, &last); err != nil {
				t.Fatalf("%s: %v", test.want, f)
			}
			if got := fmt.Sprint(record, " ", f.Column, " ", row, " ", last); got != test.want || row != first || !errors.Is(f, colstore.ErrChecksum) || !v.Sums {
				t.Errorf("%s, want %s: %v", got, test.want, f)
			}
			if v := verified(t, path, cstore.VerifyOptions{Threads: threads, Sums: cstore.SumsOff}); v.Sums {
				t.Error("the sums were not left alone")
			}
		}
		// Damage is not made right by writing the sums anew.
		if v := verified(t, path, cstore.VerifyOptions{WriteSums: true}); v.Written != "" || len(v.Findings) == 0 {
			t.Errorf("%s: sums of damaged values were written", test.want)
		}
		change(t, path, test.at)
	}
	if v := verified(t, path, cstore.VerifyOptions{Sums: cstore.SumsRequired}); len(v.Findings)+len(v.Notes) > 0 || !v.Sums {
		t.Errorf("%+v", v)
	}
}

// Neighbouring blocks that changed are one finding.
func TestSumsFindRanges(t *testing.T) {
	path, _ := summed(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(bytes.Index(data, []byte("REC\x01"))) + 32 + 32 + 32 + 8
	change(t, path, at)
	change(t, path, at+8*131_072)
	v := verified(t, path, cstore.VerifyOptions{})
	if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Error(), "among the rows 3 to 262146 are") {
		t.Errorf("%v", v.Findings)
	}
}

// A file of sums is lines of JSON; one that is damaged anywhere is told as such, and one of another file as stale.
func TestSumsFile(t *testing.T) {
	path, rows := summed(t)
	sums := cstore.SumsPath(path)
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) != len(rows)+2 {
		t.Fatalf("%s", text)
	}
	for i, line := range lines {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if i > 0 && i <= len(rows) && (v["record"] != float64(i-1) || v["rows"] != float64(rows[i-1]) || len(v["sums"].([]any)) != 2) {
			t.Errorf("%s", line)
		}
	}
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1
		if err := os.WriteFile(sums, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		v := verified(t, path, cstore.VerifyOptions{Sums: cstore.SumsRequired})
		if len(v.Findings) == 0 || !strings.Contains(v.Findings[0].Error(), ".sums") && !strings.Contains(v.Findings[0].Error(), "another version") {
			t.Fatalf("byte %d: %v", i, v.Findings)
		}
		if err := os.WriteFile(sums, text[:i], 0o666); err != nil {
			t.Fatal(err)
		}
		if v := verified(t, path, cstore.VerifyOptions{}); len(v.Findings) != 1 || v.Sums {
			t.Fatalf("cut to %d bytes: %v", i, v.Findings)
		}
	}
	other := golden.Copy(t, "expr_multi.cstore")
	if err := os.WriteFile(cstore.SumsPath(other), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, other, cstore.VerifyOptions{}); len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Error(), "another version") {
		t.Errorf("%v", v.Findings)
	}
	// Asked for, they are replaced.
	if v := verified(t, other, cstore.VerifyOptions{WriteSums: true}); v.Written == "" || len(v.Findings) > 0 || len(v.Notes) != 1 {
		t.Errorf("%+v", v)
	}
	if v := verified(t, other, cstore.VerifyOptions{Sums: cstore.SumsRequired}); len(v.Findings)+len(v.Notes) > 0 || !v.Sums {
		t.Errorf("%+v", v)
	}
}

// Sums of old records stay good when records are added, and those that lack are told; sums of more records than there are
// are those of another version.
func TestSumsAfterAppend(t *testing.T) {
	long, short := golden.Copy(t, "expr_multi.cstore"), ""
	data := golden.Bytes(t, "expr_multi.cstore")
	want := tableOf(t, long)
	short = filepath.Join(t.TempDir(), "short.cstore")
	setCounters(data, 3, want.rows[0]+want.rows[1]+want.rows[2], 0)
	if err := os.WriteFile(short, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{long, short} {
		if v := verified(t, path, cstore.VerifyOptions{WriteSums: true}); v.Written == "" {
			t.Fatalf("%+v", v)
		}
	}
	lengthen := func(from, to string) {
		text, err := os.ReadFile(cstore.SumsPath(from))
		if err == nil {
			err = os.WriteFile(cstore.SumsPath(to), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(cstore.SumsPath(long))
	if err != nil {
		t.Fatal(err)
	}
	lengthen(short, long)
	if v := verified(t, long, cstore.VerifyOptions{}); len(v.Findings) > 0 || !v.Sums || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "no sums of the last 1 record") {
		t.Errorf("%+v", v)
	}
	if v := verified(t, long, cstore.VerifyOptions{Sums: cstore.SumsRequired}); len(v.Findings) != 1 {
		t.Errorf("%+v", v)
	}
	if v := verified(t, long, cstore.VerifyOptions{WriteSums: true}); v.Written == "" || len(v.Notes) > 0 {
		t.Errorf("%+v", v)
	}
	if again, err := os.ReadFile(cstore.SumsPath(long)); err != nil || !bytes.Equal(again, text) {
		t.Errorf("the sums are others: %v", err)
	}
	lengthen(long, short)
	if v := verified(t, short, cstore.VerifyOptions{}); len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Error(), "another version") {
		t.Errorf("%+v", v)
	}
}

// What harms no reader is noted: leftovers, uncommitted records, bytes that ought to be zero.
func TestVerifyNotes(t *testing.T) {
	for name, want := range map[string]string{
		"trailing_garbage":    "31 bytes behind the last record are no part of the table",
		"sparse_tail":         "4096 bytes behind the last record are no part of the table",
		"n_records_1_of_3":    "that had not committed 2 records with 4 rows",
		"reserved_nonzero":    "the reserved bytes of the counters are not zero",
		"rec_reserved":        "padding or reserved bytes of 1 record, the first of them record 0, are not zero",
		"n_records_0":         "that had not committed 1 record with 6 rows",
		"manifest_crc_absent": "",
	} {
		v := verified(t, golden.Path(t, "bad/"+name+".cstore"), cstore.VerifyOptions{})
		if got := strings.Join(v.Notes, "; "); !strings.Contains(got, want) || (want == "") != (got == "") || len(v.Findings) > 0 {
			t.Errorf("%s: %q, %v", name, got, v.Findings)
		}
	}
}

// The sums in docs/format.md are those of the file there.
func TestSumsAreDocumented(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.cstore")
	s := colstore.MustSchema(colstore.Field{Name: "id", Type: colstore.Int32}, colstore.Field{Name: "x", Type: colstore.Float64})
	w, err := cstore.Create(path, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, rows := range []struct {
		id []int32
		x  []float64
	}{{[]int32{1, 2}, []float64{0.5, -1.5}}, {[]int32{3}, []float64{math.Float64frombits(0x7ff8 << 48)}}} {
		b, err := colstore.NewBatch(s, colstore.Wrap(rows.id), colstore.Wrap(rows.x))
		if err == nil {
			err = w.Write(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	verified(t, path, cstore.VerifyOptions{WriteSums: true})
	sums, err := os.ReadFile(cstore.SumsPath(path))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	if indented := "    " + strings.ReplaceAll(strings.TrimSpace(string(sums)), "\n", "\n    ") + "\n"; !strings.Contains(string(doc), indented) {
		t.Errorf("docs/format.md lacks\n%s", indented)
	}
}
