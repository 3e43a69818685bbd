package memory_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/memory"
)

// sizes are those around which Get does something else.
var sizes = []int{0, 1, 7, 8, 64<<10 - 1, 64 << 10, 64<<10 + 1, memory.Huge - 8, memory.Huge, memory.Huge + 3, 9 << 20}

func TestGet(t *testing.T) {
	for _, n := range sizes {
		p := memory.Get(n)
		if len(p) != n || cap(p) < n {
			t.Fatalf("%d bytes: %d, room for %d", n, len(p), cap(p))
		}
		addr := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
		if n >= 64<<10 && addr%4096 != 0 || n > 0 && n%8 == 0 && addr%8 != 0 {
			t.Errorf("%d bytes lie at %#x", n, addr)
		}
		for i := range p {
			p[i] = byte(i)
		}
		for i := range p {
			if p[i] != byte(i) {
				t.Fatalf("%d bytes: byte %d is %d", n, i, p[i])
			}
		}
	}
}

func makes[T colstore.Native](t *testing.T) {
	size := int(unsafe.Sizeof(*new(T)))
	for _, bytes := range sizes {
		n := bytes / size
		v := memory.Make[T](n)
		if len(v) != n {
			t.Fatalf("%d values: %d", n, len(v))
		}
		if addr := uintptr(unsafe.Pointer(unsafe.SliceData(v))); n > 0 && addr%uintptr(size) != 0 {
			t.Errorf("%d values of %d bytes lie at %#x", n, size, addr)
		}
		clear(v)
	}
}

func TestMake(t *testing.T) {
	makes[bool](t)
	makes[int16](t)
	makes[float32](t)
	makes[uint64](t)
}

// Memory that is in use is nobody else's, whoever allocates and collects meanwhile.
func TestMemoryIsNobodyElses(t *testing.T) {
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 8 {
				p := memory.Get(memory.Huge + w*4096 + i)
				for j := 0; j < len(p); j += 512 {
					p[j] = byte(w*8 + i)
				}
				runtime.GC()
				for j := 0; j < len(p); j += 512 {
					if p[j] != byte(w*8+i) {
						t.Errorf("worker %d, round %d: byte %d is %d", w, i, j, p[j])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// The collector gives memory back that nobody refers to any more.
func TestMemoryIsCollected(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 64 {
		memory.Get(memory.Huge)[0] = 1
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16*memory.Huge {
		t.Errorf("%d bytes are still held", grown)
	}
}
