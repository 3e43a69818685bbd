package spool_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/spool"
)

var schema = colstore.MustSchema(
	colstore.Field{Name: "x", Type: colstore.Int64}, colstore.Field{Name: "s", Type: colstore.BytesOf(5)},
)

// batch returns as many rows, numbered from first on.
func batch(t interface{ Fatal(...any) }, first, rows int) *colstore.Batch {
	var x, s []byte
	for i := range rows {
		x = binary.LittleEndian.AppendUint64(x, uint64(first+i))
		s = append(s, byte('a'+(first+i)%26), 'b', 'c', 'd', 'e')
	}
	cx, err := colstore.NewColumn(colstore.Int64, rows, x)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := colstore.NewColumn(colstore.BytesOf(5), rows, s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(schema, cx, cs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Writes of any size, each of which may be undone or fail, leave the rows of the others.
func TestWritesAndUndo(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		failing := fsxtest.New(-1, syscall.ENOSPC)
		s, err := spool.New(failing, filepath.Join(dir, "x"), schema)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Abort()
		want := 0
		for range rapid.IntRange(1, 12).Draw(t, "writes") {
			// The memory holds 80,659 of these rows.
			rows := rapid.OneOf(rapid.IntRange(0, 50), rapid.IntRange(30_000, 90_000)).Draw(t, "rows")
			fail := rapid.IntRange(0, 4).Draw(t, "fail")
			if fail < 2 {
				failing.FailAt(fail)
			}
			err := s.Write(batch(t, want, rows))
			failing.FailAt(-1)
			if err != nil {
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatal(err)
				}
				continue
			}
			if rapid.Bool().Draw(t, "flush") {
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if rapid.IntRange(0, 2).Draw(t, "undo") == 0 {
				s.Undo()
				continue
			}
			want += rows
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		all := batch(t, 0, want)
		for i := range schema.Len() {
			got, err := io.ReadAll(s.Column(i))
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := all.At(i).Bytes(); !bytes.Equal(got, b) {
				t.Fatalf("column %d: %d bytes differ from the %d that were written", i, len(got), len(b))
			}
		}
	})
	if left := fsxtest.Snapshot(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
