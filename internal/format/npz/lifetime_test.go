package npz_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
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
