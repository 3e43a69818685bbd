package cstore

import (
	"container/list"
	"os"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
)

// A lazyFile is a reader's file that is mapped when its rows are first read, and whose statistics are read when they are
// first asked for. A table may have a hundred thousand such files, and the system maps some 65,000 and opens fewer: only
// the files that were last read keep both.
type lazyFile struct {
	in     *fsx.Input
	path   string
	h      header // as it was read, for the statistics
	end    int64  // of the committed bytes
	advice mmap.Advice

	mu     sync.Mutex
	closed bool
	m      *mmap.Mapping // nil while the file is not mapped
	stats  *stats
	asked  bool          // stats are what the file has
	place  *list.Element // in warm, guarded by it
}

// warmFiles is how many lazy files stay mapped after they were read. Mapping one again costs some ten microseconds.
const warmFiles = 2048

// warm are the lazy files that were last read, the latest first. The limit on mappings is the process's, so this is too.
var warm struct {
	sync.Mutex
	files list.List
}

// touch makes f the file that was read last, and returns the one that is to be dropped for it, if any.
func touch(f *lazyFile) *lazyFile {
	warm.Lock()
	defer warm.Unlock()
	if f.place != nil {
		warm.files.MoveToFront(f.place)
		return nil
	}
	f.place = warm.files.PushFront(f)
	if warm.files.Len() <= warmFiles {
		return nil
	}
	return forget(warm.files.Back().Value.(*lazyFile))
}

// forget takes f out of warm, whose lock is held.
func forget(f *lazyFile) *lazyFile {
	if f.place != nil {
		warm.files.Remove(f.place)
		f.place = nil
	}
	return f
}

// mapping returns the mapping of the file. The caller owes a Release.
//
// Errors: colstore.ErrClosed, colstore.ErrTruncated, those of [fsx.Input.Use].
func (f *lazyFile) mapping() (*mmap.Mapping, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, colstore.ErrClosed
	}
	if f.m == nil {
		if err := f.in.Use(f.open); err != nil {
			f.mu.Unlock()
			return nil, fsx.Bare(err)
		}
	}
	f.m.Retain()
	m, cold := f.m, touch(f)
	f.mu.Unlock()
	if cold != nil {
		cold.drop()
	}
	return m, nil
}

func (f *lazyFile) open(file *os.File) (err error) {
	f.m, err = mapped(file, f.path, f.end, f.advice)
	return err
}

// mapped maps an open file whose committed bytes end at end.
func mapped(file *os.File, path string, end int64, a mmap.Advice) (*mmap.Mapping, error) {
	m, err := mmap.File(file, path)
	if err != nil {
		return nil, err
	}
	if size := int64(len(m.Data())); size < end {
		m.Release()
		return nil, truncated(size, "the file got shorter while it was open")
	}
	if a != mmap.Normal {
		m.Advise(0, len(m.Data()), a)
	}
	return m, nil
}

// statistics returns the footer, nil if the file has none that is usable, or can be read no more.
func (f *lazyFile) statistics() *stats {
	if f.h.statsOffset == 0 {
		return nil
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	if !f.asked {
		f.stats, f.asked = readStats(f.in, &f.h, f.end), true
	}
	s, cold := f.stats, touch(f)
	f.mu.Unlock()
	if cold != nil {
		cold.drop()
	}
	return s
}

// drop gives up what reading the file needed. Batches keep the mapping that they show.
func (f *lazyFile) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m != nil {
		f.m.Release()
	}
	f.m, f.stats, f.asked = nil, nil, false
}

// close ends reading.
func (f *lazyFile) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	warm.Lock()
	forget(f)
	warm.Unlock()
	f.drop()
	return f.in.Close()
}
