package kernel_test

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// eachLevel runs f at every level that the processor has, as subtests.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for l := kernel.LevelGo; l <= kernel.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer kernel.SetLevel(kernel.SetLevel(l))
			f(t)
		})
	}
}

// guard is how many bytes before and behind a buffer are watched.
const guard = 64

// A fenced is a buffer at an offset from an alignment of 64 bytes, between bytes that must not change.
type fenced struct {
	all  []byte
	data []byte // the buffer
}

// fence returns a buffer of n bytes whose address modulo 64 is offset, full of 0xA5.
func fence(n, offset int) fenced {
	all := bytes.Repeat([]byte{0xA5}, n+2*guard+128)
	at := guard
	for (uintptr(unsafe.Pointer(&all[at]))-uintptr(offset))%64 != 0 {
		at++
	}
	return fenced{all[at-guard : at+n+guard], all[at : at+n : at+n]}
}

// fill returns fence with a copy of data.
func fill(data []byte, offset int) fenced {
	f := fence(len(data), offset)
	copy(f.data, data)
	return f
}

// intact reports whether nothing was written outside the buffer.
func (f fenced) intact() bool {
	for i := range guard {
		if f.all[i] != 0xA5 || f.all[len(f.all)-1-i] != 0xA5 {
			return false
		}
	}
	return true
}

func TestLevel(t *testing.T) {
	for l := kernel.LevelGo; l <= kernel.LevelAVX512; l++ {
		if got, err := kernel.ParseLevel(l.String()); got != l || err != nil {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, err)
		}
	}
	if _, err := kernel.ParseLevel("sse9"); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("ParseLevel of no level = %v", err)
	}
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelAVX512))
	if kernel.Active() != kernel.Best() {
		t.Errorf("Active = %v after a level beyond %v", kernel.Active(), kernel.Best())
	}
}
