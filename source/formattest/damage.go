package formattest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// damagedMemory is what reading a damaged file of a few kilobytes may allocate in all: far less than a wrong length asks
// for.
const damagedMemory = 256 << 20

// damaged is what reading a damaged file gave.
type damaged struct {
	b   *colstore.Batch
	err error
}

// readDamaged reads columns (nil: all) of a file with these bytes. A panic ends the test, as it should.
func (s *suite) readDamaged(t *testing.T, path string, raw []byte, schema *colstore.Schema, columns []string) damaged {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	spec := s.spec(path, schema)
	spec.Columns = columns
	src, err := source.Open(t.Context(), spec)
	out := damaged{err: err}
	if err == nil {
		out.b, out.err = readAll(t.Context(), src, colstore.Scan{})
		if err := src.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	goruntime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > damagedMemory {
		t.Errorf("reading %d bytes took %d MiB", len(raw), took>>20)
	}
	if _, ok := errors.AsType[*colstore.Error](out.err); out.err != nil && !ok {
		t.Errorf("error %q names no file", out.err)
	}
	if errors.Is(out.err, fs.ErrNotExist) {
		t.Fatal(out.err)
	}
	return out
}

// small returns the bytes of a file of a few kilobytes, and what is in it.
func (s *suite) small(t *testing.T) ([]byte, *colstore.Batch) {
	t.Helper()
	path, want := s.sample(t, 40)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw, want
}

// truncation cuts a file in many places, and by whole rows, where what is left looks best.
func (s *suite) truncation(t *testing.T) {
	raw, want := s.small(t)
	path := s.path(t, "cut")
	var cuts []int
	for n := len(raw) - 1; n >= 0; n -= max(1, len(raw)/120) {
		cuts = append(cuts, n)
	}
	for i := 1; i <= 4; i++ {
		if n := len(raw) - i*want.Schema().RowBytes(); n > 0 {
			cuts = append(cuts, n)
		}
	}
	for _, n := range cuts {
		got := s.readDamaged(t, path, raw[:n], want.Schema(), nil)
		if got.err == nil && s.Truncation && s.difference(got.b, want) != "" {
			t.Errorf("cut to %d of %d bytes: no error, and %d of %d rows", n, len(raw), got.b.Rows(), want.Rows())
		}
	}
}

// changedBits changes bits in many places.
func (s *suite) changedBits(t *testing.T) {
	raw, want := s.small(t)
	path := s.path(t, "changed")
	r := rand.New(rand.NewPCG(5, 5))
	for range 150 {
		at := r.IntN(len(raw))
		mutant := []byte(string(raw))
		for range 1 + r.IntN(3) {
			mutant[at] ^= 1 << r.IntN(8)
			if r.IntN(4) == 0 { // a whole run of bytes: lengths, offsets
				for i := at; i < min(at+8, len(mutant)); i++ {
					mutant[i] = byte(r.Uint32())
				}
			}
			at = r.IntN(len(raw))
		}
		got := s.readDamaged(t, path, mutant, want.Schema(), nil)
		if got.err != nil || !s.Checksums {
			continue
		}
		for _, f := range want.Schema().All() {
			n := f.Name
			if c, err := got.b.Column(n); err != nil || c.Type() != f.Type.Native() {
				continue // the header was hit
			}
			if d := s.difference(pick(got.b, []string{n}), pick(want, []string{n})); d != "" {
				t.Fatalf("a change near byte %d is not found: %s", at, d)
			}
		}
	}
}

// columnsApart demands that a column which is not asked for is not decoded: damage to it does not show.
func (s *suite) columnsApart(t *testing.T) {
	if s.Entwined {
		return
	}
	large := s.DTypes[0]
	for _, typ := range s.DTypes {
		if typ.Size() > large.Size() {
			large = typ
		}
	}
	const rows = 2_000
	want := must(colstore.NewBatch(
		colstore.MustSchema(colstore.Field{Name: "large", Type: large}, colstore.Field{Name: "small", Type: s.DTypes[0]}),
		s.table1(large, rows), s.table1(s.DTypes[0], rows)))
	raw, err := os.ReadFile(s.written(t, want))
	if err != nil {
		t.Fatal(err)
	}
	path := s.path(t, "changed")
	r := rand.New(rand.NewPCG(6, 6))
	const changes = 60
	shows := 0
	for range changes {
		mutant := []byte(string(raw))
		for at, i := r.IntN(len(mutant)), 0; i < 8 && at+i < len(mutant); i++ {
			mutant[at+i] = byte(r.Uint32())
		}
		got := s.readDamaged(t, path, mutant, want.Schema(), []string{"small"})
		if got.err != nil || s.difference(got.b, pick(want, []string{"small"})) != "" {
			shows++
		}
	}
	// The other column, which has less than a fifth of the bytes here, and the headers are all that may be hit.
	if shows > changes/2 {
		t.Errorf("%d of %d changes to a file, most of them in a column that is not asked for, show in another", shows, changes)
	}
}
