package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// Every intact golden file holds what it says.
func TestVerifyGolden(t *testing.T) {
	for _, f := range golden.Load(t).Files {
		v, err := cstore.Verify(t.Context(), golden.Path(t, f.Name), nil)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if v.Rows != f.Rows || int64(v.Records) != f.Records || v.Columns != len(f.Columns) || v.Statistics != (f.StatsOffset != 0) || len(v.Findings) > 0 {
			t.Errorf("%s: %+v", f.Name, v)
		}
	}
}

// Of the damaged files those that open have findings where their statistics are damaged or lie, and nowhere else; that they
// are gone, as an update leaves a file that is not committed, is a note.
func TestVerifyBad(t *testing.T) {
	finds := 0
	for _, b := range golden.LoadBad(t) {
		path := golden.Path(t, "bad/"+b.Name)
		r, openErr := cstore.Open(path, nil)
		if openErr == nil {
			r.Close()
		}
		v, err := cstore.Verify(t.Context(), path, nil)
		if (openErr == nil) != (err == nil) {
			t.Errorf("%s: opens with %v, verified with %v", b.Name, openErr, err)
		}
		if err != nil {
			continue
		}
		if cut := len(v.Notes) > 0 && strings.Contains(v.Notes[0], "cut off by an update"); cut != (b.Name == "no_footer.cstore") {
			t.Errorf("%s (%s): %q", b.Name, b.Damage, v.Notes)
		}
		damaged := b.Name != "no_footer.cstore" && (strings.HasPrefix(b.Name, "stats_") || strings.HasSuffix(b.Name, "_footer.cstore"))
		if damaged != (len(v.Findings) > 0) {
			t.Errorf("%s (%s): %v", b.Name, b.Damage, v.Findings)
		}
		if damaged {
			finds++
		}
	}
	if finds < 12 {
		t.Errorf("only %d files have findings", finds)
	}
}

// Statistics that a writer made hold, whatever the layout and the threads; a value that leaves them is found.
func TestVerifyStatistics(t *testing.T) {
	dir := t.TempDir()
	types := []colstore.DType{
		colstore.Bool, colstore.Int8, colstore.Uint16, colstore.Int64, colstore.Uint64, colstore.Float16, colstore.Float32, colstore.Float64,
		colstore.BytesOf(3), colstore.DatetimeOf(colstore.Day), colstore.TimedeltaOf(colstore.Second),
	}
	rapid.Check(t, func(t *rapid.T) {
		fields := make([]colstore.Field, len(types))
		for i, d := range types {
			fields[i] = colstore.Field{Name: fmt.Sprint("c", i), Type: d}
		}
		s := colstore.MustSchema(fields...)
		path := filepath.Join(dir, "f.cstore")
		w, err := cstore.Create(path, s, &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		records := rapid.IntRange(1, 4).Draw(t, "records")
		for range records {
			rows := rapid.IntRange(0, 20).Draw(t, "rows")
			cols := make([]colstore.Column, len(types))
			for i, d := range types {
				data := rapid.SliceOfN(rapid.Byte(), rows*d.Size(), rows*d.Size()).Draw(t, "bytes")
				if cols[i], err = colstore.NewColumn(d, rows, data); err != nil {
					t.Fatal(err)
				}
			}
			b, err := colstore.NewBatch(s, cols...)
			if err == nil {
				err = w.Write(context.Background(), b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		v, err := cstore.Verify(context.Background(), path, &cstore.VerifyOptions{Threads: records})
		if err != nil || len(v.Findings) > 0 || !v.Statistics {
			t.Fatalf("%+v, %v", v, err)
		}
	})
}

// A value that leaves the bounds is found with its record and column, beyond the first piece of a column too.
func TestVerifyFindsValues(t *testing.T) {
	const rows = 1_500_000
	floats, ints := make([]float64, rows), make([]int32, rows)
	for i := range floats {
		floats[i], ints[i] = float64(i%100), int32(i)
	}
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}, colstore.Field{Name: "n", Type: colstore.Int32})
	b, err := colstore.NewBatch(s, colstore.Wrap(floats), colstore.Wrap(ints))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.cstore")
	if err := cstore.Store(t.Context(), path, b, &cstore.WriteOptions{Stats: true}); err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		for threads := range 3 {
			v, err := cstore.Verify(t.Context(), path, &cstore.VerifyOptions{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range v.Findings {
				i, _ := f.Record.Get()
				got = append(got, fmt.Sprint(i, " ", f.Column, " ", f.Err))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d threads: %q, want %q", threads, got, want)
			}
		}
	}
	check()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Index(data, []byte("REC\x01")) + 32
	patch := func(off int, value uint64, n int) {
		for i := range n {
			data[off+i] = byte(value >> (8 * i))
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	patch(body+8*1_400_000, math.Float64bits(-1.5), 8)
	check("0 x mismatch: the statistics say that the least value is 0.0, it is -1.5")
	patch(body+8*rows+4*1_499_999, 2_000_000, 4)
	check("0 x mismatch: the statistics say that the least value is 0.0, it is -1.5",
		"0 n mismatch: the statistics say that the greatest value is 1499999, it is 2000000")
	patch(body+8*7, math.Float64bits(math.NaN()), 8)
	check("0 x mismatch: the statistics say that there is no NaN, infinity or NaT, and there is one",
		"0 n mismatch: the statistics say that the greatest value is 1499999, it is 2000000")
}

func TestVerifyFails(t *testing.T) {
	if _, err := cstore.Verify(t.Context(), filepath.Join(t.TempDir(), "none.cstore"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	cancel(over)
	if _, err := cstore.Verify(ctx, golden.Path(t, "expr.cstore"), nil); !errors.Is(err, over) {
		t.Errorf("cancelled: %v", err)
	}
}

// An update that was not committed cuts off the statistics, which is nothing that the file does not hold: its rows are what
// they were. Statistics that are damaged are.
func TestVerifyBehindADeadUpdate(t *testing.T) {
	all := randomBatch(t, oddSchema, 3000, 5)
	for name, c := range map[string]struct {
		spoil func(path string, end int64) error
		dead  bool
	}{
		"cut off": {func(path string, end int64) error { return os.Truncate(path, end) }, true},
		"room was taken": {func(path string, end int64) error {
			return errors.Join(os.Truncate(path, end), os.Truncate(path, end+1<<20))
		}, true},
		"a record was begun": {func(path string, end int64) error {
			w, err := cstore.Update(path, &cstore.WriteOptions{Lock: colstore.LockOff})
			if err == nil {
				err = w.Write(t.Context(), all) // more than is buffered, and nobody ends it
			}
			return err
		}, true},
		"changed": {func(path string, end int64) error {
			data := readFile(t, path)
			data[end] ^= 1
			return os.WriteFile(path, data, 0o666)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.cstore")
			if err := cstore.Store(t.Context(), path, all.Slice(0, 9), nil); err != nil {
				t.Fatal(err)
			}
			end := int64(len(readFile(t, path)))
			if err := cstore.Store(t.Context(), path, all.Slice(0, 9), &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: true}); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(path, end); err != nil {
				t.Fatal(err)
			}
			v, err := cstore.Verify(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			noted := len(v.Notes) > 0 && strings.Contains(v.Notes[0], "cut off by an update")
			if noted != c.dead || len(v.Findings) > 0 == c.dead || v.Statistics == c.dead {
				t.Errorf("findings %v, notes %q, statistics %v", v.Findings, v.Notes, v.Statistics)
			}
		})
	}
}

// Sums that cannot be written are an error beside what was found.
func TestVerifyTellsThatSumsCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	if err := cstore.Store(t.Context(), path, randomBatch(t, oddSchema, 5, 5), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(cstore.SumsPath(path), 0o777); err != nil {
		t.Fatal(err)
	}
	v, err := cstore.Verify(t.Context(), path, &cstore.VerifyOptions{WriteSums: true, Sums: cstore.SumsOff})
	if err == nil || !strings.Contains(err.Error(), cstore.SumsPath(path)) || v == nil || v.Rows != 5 {
		t.Errorf("%+v, %v", v, err)
	}
}
