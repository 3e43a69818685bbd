package npz_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/colstore/colstore-go/internal/invariants"
)

// TestMain fails when the tests leave a mapping or a batch behind; with -tags invariants they are counted.
func TestMain(m *testing.M) {
	code := m.Run()
	if b, f := invariants.Batches.Load(), invariants.Mappings.Load(); code == 0 && (b != 0 || f != 0) {
		fmt.Fprintf(os.Stderr, "%d batches and %d mappings were never released\n", b, f)
		code = 1
	}
	os.Exit(code)
}
