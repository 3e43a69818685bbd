package mmap

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// cold returns a mapping of a file of 64 MiB of which nothing is in memory, and whether that could be brought about: some
// file systems are memory.
func cold(t *testing.T) (m *Mapping, path string, ok bool) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "f")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(64 * mib); err != nil { // a hole is read as other bytes are
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	m, err = File(f, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Release)
	ok = true
	for i := range 64 {
		ok = ok && !m.resident(Span{i * mib, mib}, 4)
	}
	return m, path, ok
}

func TestAheadReadsWhatFollows(t *testing.T) {
	m, _, wasCold := cold(t)
	if !m.populate(Span{0, mib}) {
		return // a kernel that cannot
	}
	var a Ahead
	a.Read(m, []Span{{0, mib}, {40 * mib, mib}}, []Span{{mib, 2 * mib}, {48 * mib, mib}})
	a.Wait(false)
	if !m.resident(Span{mib, 2 * mib}, 64) {
		t.Error("what follows a span that was read is not in memory")
	}
	if wasCold && m.resident(Span{48 * mib, mib}, 1) {
		t.Error("what follows a span that was left out was read")
	}
	a.Read(m, []Span{{mib, mib}}, []Span{{63 * mib, 9 * mib}}) // beyond the end
	a.Wait(true)
	if a.Read(m, []Span{{mib, mib}}, []Span{{mib, mib}}); m.reading.Load() {
		t.Error("what is in memory is read")
	}
}

func TestAheadOfACutFile(t *testing.T) {
	m, path, _ := cold(t)
	if !m.populate(Span{0, mib}) {
		return
	}
	if err := os.Truncate(path, 2*mib); err != nil {
		t.Fatal(err)
	}
	var a Ahead
	a.Read(m, []Span{{0, mib}}, []Span{{mib, 4 * mib}})
	a.Wait(false)
	if m.reading.Load() {
		t.Error("the reading has no end")
	}
	new(Ahead).Wait(true) // that never read
}

// BenchmarkCold reads a cold file of 256 MiB from begin to end in pieces: as the system does it on its own, with a hint for
// all of it, piece by piece before it is read, and with calls. Bring the file about by the first run; times depend on the disk.
func BenchmarkCold(b *testing.B) {
	const size, piece = 256 * mib, 8 * mib
	path := filepath.Join(b.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	touch := func(p []byte) (sum byte) {
		for i := 0; i < len(p); i += 64 {
			sum += p[i]
		}
		return sum
	}
	mapped := func(each func(m *Mapping, a *Ahead, at int)) func() {
		return func() {
			m, err := File(f, path)
			if err != nil {
				b.Fatal(err)
			}
			var a Ahead
			for at := 0; at < size; at += piece {
				each(m, &a, at)
				touch(m.Data()[at : at+piece])
			}
			a.Wait(true)
			m.Release()
		}
	}
	buf := make([]byte, mib)
	for _, c := range []struct {
		name string
		read func()
	}{
		{"mapped", mapped(func(*Mapping, *Ahead, int) {})},
		{"sequential", mapped(func(m *Mapping, _ *Ahead, at int) {
			if at == 0 {
				m.Advise(0, size, Sequential)
			}
		})},
		{"willneed", mapped(func(m *Mapping, _ *Ahead, at int) { m.Advise(at+piece, piece, WillNeed) })},
		{"populated", mapped(func(m *Mapping, _ *Ahead, at int) { m.populate(Span{at, piece}) })},
		{"ahead", mapped(func(m *Mapping, a *Ahead, at int) {
			if at > 0 && at+piece < size {
				a.Read(m, []Span{{at - piece, piece}}, []Span{{at + piece, piece}})
			}
		})},
		{"calls", func() {
			for at := int64(0); at < size; at += mib {
				if _, err := f.ReadAt(buf, at); err != nil {
					b.Fatal(err)
				}
				touch(buf)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				b.StopTimer()
				_ = f.Sync()
				_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
				b.StartTimer()
				c.read()
			}
		})
	}
}
