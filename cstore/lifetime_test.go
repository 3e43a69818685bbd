package cstore_test

import (
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// A batch that is retained shows the file after its reader is closed; the mapping goes with the last of them.
func TestBatchOutlivesClose(t *testing.T) {
	r, err := cstore.Open(golden.Path(t, "expr.cstore"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var kept *colstore.Batch
	for b, err := range r.Scan(t.Context(), colstore.Scan{Columns: []string{"i4"}}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		kept = b
		break
	}
	want, err := colstore.CopyOf[int32](kept.At(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := colstore.Values[int32](kept.At(0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d is %d after Close, was %d", i, got[i], want[i])
		}
	}
	detached := kept.Detach()
	kept.Release()
	if v, err := colstore.Values[int32](detached.At(0)); err != nil || len(v) != len(want) || v[0] != want[0] {
		t.Fatalf("the detached copy is %v, %v", v, err)
	}
	for _, err := range r.Scan(t.Context(), colstore.Scan{}) {
		if err == nil {
			t.Fatal("a closed reader scans")
		}
	}
}
