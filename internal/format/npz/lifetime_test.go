package npz_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/source/format"
)

// An archive that is cut while it is open is an error that names it, and no crash.
func TestCutWhileOpen(t *testing.T) {
	for _, method := range []uint16{0, 8} {
		const rows = 1 << 20
		path := archive(t, part{name: "a.npy", data: ints(rows), method: method})
		f, err := openFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if err := os.Truncate(path, 8192); err != nil {
			t.Fatal(err)
		}
		err = fault.Guard(func() error {
			for b, err := range src.Scan(t.Context(), colstore.Scan{}) {
				if err != nil {
					return err
				}
				if _, err := colstore.CopyOf[int32](b.At(0)); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
			t.Errorf("method %d: %v", method, err)
		}
	}
}

// Rows are left behind in their order, each once, whatever the order of the releases.
func TestBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 8).Draw(t, "sizes")
		begin := rapid.Int64Range(0, 10).Draw(t, "begin")
		var ranges []colstore.Range
		at := begin
		for _, n := range sizes {
			ranges = append(ranges, colstore.Range{Begin: at, End: at + n})
			at += n
		}
		release, next := npz.Behind(begin), begin
		gone := map[int64]bool{}
		for _, r := range rapid.Permutation(ranges).Draw(t, "order") {
			for i := r.Begin; i < r.End; i++ {
				gone[i] = true
			}
			left := release(r)
			if left.Begin != next {
				t.Fatalf("%v is left behind, expected from %d on", left, next)
			}
			for next = left.Begin; next < left.End; next++ {
				if !gone[next] {
					t.Fatalf("row %d is left behind and still read", next)
				}
			}
			if gone[next] {
				t.Fatalf("row %d is not left behind", next)
			}
		}
		if next != at {
			t.Fatalf("%d rows are left behind at the end, want %d", next, at)
		}
	})
}
