package npz_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
)

func TestHeaders(t *testing.T) {
	good := []string{
		"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }      \n",
		`{"shape": (3,), "fortran_order": True, "descr": "<i4"}`,
		"{'descr':'<i4','fortran_order':False,'shape':(3L,)}",
		"{ 'descr' : 'int32' , 'fortran_order' : False , 'shape' : [3] }",
	}
	for _, text := range good {
		if _, err := npz.ParseHeader(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	bad := []string{
		"", "{", "{}", "[]", "3", "{'descr': '<i4'}", "{'descr': '<i4', 'fortran_order': False, 'shape': 3}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (3)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (-3,)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': ('3',)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
		"{'descr': '<i4', 'fortran_order': 0, 'shape': (3,)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
		"{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (3,)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (3,)} x",
		"{'descr': '<i4' 'fortran_order': False, 'shape': (3,)}",
		"{'descr': '<i4, 'fortran_order': False, 'shape': (3,)}",
		"{'descr' '<i4', 'fortran_order': False, 'shape': (3,)}",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (3 4)}",
		"{1: '<i4', 'fortran_order': False, 'shape': (3,)}",
		"{'descr': __import__('os'), 'fortran_order': False, 'shape': (3,)}",
		strings.Repeat("(", 1000),
	}
	for _, text := range bad {
		if _, err := npz.ParseHeader(text); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The CRC of a whole is that of its pieces, summed in any order.
func TestPieceSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(data)), 0, 4).Draw(t, "cuts")
		cuts = append(cuts, 0, len(data))
		pieces := [][2]int{}
		for _, c := range cuts {
			end := len(data)
			for _, d := range cuts {
				if d > c && d < end {
					end = d
				}
			}
			piece := [2]int{c, end}
			if c < end && !slices.Contains(pieces, piece) {
				pieces = append(pieces, piece)
			}
		}
		rand.New(rand.NewPCG(1, uint64(len(data)))).Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		sum := uint32(0)
		for _, p := range pieces {
			sum ^= npz.PieceSum(data[p[0]:p[1]], int64(len(data)-p[1]))
		}
		if got, want := npz.FinishSum(sum, int64(len(data))), crc32.ChecksumIEEE(data); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
	})
}

// sparse is a file of zeros with some bytes at its end.
type sparse struct {
	zeros int64
	tail  []byte
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		at := off + int64(i)
		switch {
		case at >= s.zeros+int64(len(s.tail)):
			return i, io.EOF
		case at >= s.zeros:
			p[i] = s.tail[at-s.zeros]
		default:
			p[i] = 0
		}
	}
	return len(p), nil
}

// Members and archives beyond 4 GiB, and beyond the 2 GiB up to which Python uses 32 bits, are found again.
func TestZip64(t *testing.T) {
	names, sizes, offsets := []string{"a.npy", "b.npy", "é.npy"}, []int64{5 << 30, 3 << 30, 100}, []int64{0, 5<<30 + 100, 8<<30 + 200}
	at := int64(8<<30 + 400)
	tail := npz.Directory(names, sizes, offsets, at)
	z, err := zip.NewReader(sparse{at, tail}, at+int64(len(tail)))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range z.File {
		if f.Name != names[i] || int64(f.UncompressedSize64) != sizes[i] || int64(f.CompressedSize64) != sizes[i] {
			t.Errorf("%s of %d bytes", f.Name, f.UncompressedSize64)
		}
	}
	if bytes.Contains(npz.Directory(names, []int64{1, 2, 3}, []int64{0, 10, 20}, 400), []byte("PK\x06\x06")) {
		t.Error("a small archive has records of a large one")
	}
	many := make([]string, 70_000)
	for i := range many {
		many[i] = fmt.Sprint(i, ".npy")
	}
	tail = npz.Directory(many, make([]int64, len(many)), make([]int64, len(many)), 0)
	if z, err = zip.NewReader(bytes.NewReader(tail), int64(len(tail))); err != nil || len(z.File) != len(many) {
		t.Errorf("70,000 members: %v", err)
	}
}
