package root_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/colstore/colstore-go/internal/invariants"
)

// TestMain fails when the tests leave a batch behind; with -tags invariants they are counted.
func TestMain(m *testing.M) {
	code := m.Run()
	if b := invariants.Batches.Load(); code == 0 && b != 0 {
		fmt.Fprintf(os.Stderr, "%d batches were never released\n", b)
		code = 1
	}
	os.Exit(code)
}
