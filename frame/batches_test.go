package frame_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/frame"
)

func TestBatchesOf(t *testing.T) {
	t.Parallel()
	src := numbers(t, 1000)
	f := frame.From(src).Where(frame.MustParse("x > -1")).Assign("y", frame.Col("i")) // 24 bytes a row
	all := ints(t, f, "i")
	for size, rows := range map[string]int{"100": 100, "1": 1, "1_000": len(all), "1 KB": 41, "1 B": 1, "": len(all), "256 MiB": len(all)} {
		var got []int64
		for b, err := range f.BatchesOf(t.Context(), size) {
			if err != nil {
				t.Fatal(err)
			}
			if want := min(rows, len(all)-len(got)); b.Rows() != want {
				t.Fatalf("%s: %d rows behind %d, want %d", size, b.Rows(), len(got), want)
			}
			for r := range b.Rows() {
				got = append(got, int64(b.At(0).At(r)[0])|int64(b.At(0).At(r)[1])<<8)
			}
		}
		if d := cmp.Diff(all, got); d != "" {
			t.Errorf("%s: %s", size, d)
		}
	}
	for _, size := range []string{"0", "-1", "many", "0.5", "0 B"} {
		n := 0
		for _, err := range f.BatchesOf(t.Context(), size) {
			if n++; err == nil {
				t.Errorf("%s is a size", size)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d results", size, n)
		}
	}
	for range f.Select().BatchesOf(t.Context(), "") {
		t.Error("no columns")
	}
	for range frame.From(numbers(t, 0)).BatchesOf(t.Context(), "5") {
		t.Error("no rows")
	}
	for range f.BatchesOf(t.Context(), "5") {
		break
	}
}
