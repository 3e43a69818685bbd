package fsx

import (
	"errors"
	"sync/atomic"
)

// writebackBytes is after how many written bytes the system is told to begin writing them to the disk. Commit waits for
// what is not there yet, so a file that is only synced at the end is written in two steps, one after the other.
const writebackBytes = 16 << 20

// writeback counts the bytes of a file that have been written since the system was told to write them to the disk.
type writeback struct{ pending atomic.Int64 }

// Write implements [File].
func (s *Staged) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	s.wrote(n)
	return n, whole(n, p, err)
}

// WriteAt implements [File].
func (s *Staged) WriteAt(p []byte, off int64) (int, error) {
	n, err := s.File.WriteAt(p, off)
	s.wrote(n)
	return n, whole(n, p, err)
}

// CopyRange implements [RangeCopier].
func (s *Staged) CopyRange(off int64, src File, srcOff, n int64) (int64, error) {
	c, ok := s.File.(RangeCopier)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	done, err := c.CopyRange(off, src, srcOff, min(n, writebackBytes))
	s.wrote(int(done))
	return done, err
}

func (s *Staged) wrote(n int) {
	if s.o.Discard || s.writeback.pending.Add(int64(n)) < writebackBytes {
		return
	}
	s.writeback.pending.Store(0)
	if f, ok := s.File.(osFile); ok {
		startWriteback(f.File)
	}
}
