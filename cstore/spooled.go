package cstore

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/spool"
)

// spooled is the layout of one record for all rows when their number is not known before: a column begins where the one
// before it ends, so the rows wait in a hidden file beside the target, and are copied in place by finish.
type spooled struct {
	form
	fsys  fsx.FS
	path  string
	spool *spool.Spool
	n     int64
	cells []cell
}

func (l *spooled) count() (records, rows int64) {
	return l.records + min(l.n, 1), l.rows + l.n
}

func (l *spooled) write(b *colstore.Batch) (err error) {
	if l.spool == nil {
		if l.spool, err = spool.New(l.fsys, l.path, l.schema); err != nil {
			return err
		}
	}
	if l.stats != nil {
		l.cells = l.stats.fold(l.cells, b)
	}
	if err := l.spool.Write(b); err != nil {
		return err
	}
	if l.stats != nil {
		l.stats.put(l.records, l.cells)
	}
	l.n += int64(b.Rows())
	return nil
}

func (l *spooled) finish() (int64, error) {
	// The bounds are collected already.
	f := l.form
	f.stats = nil
	one := newBlocks(f, max(1, l.n), l.n)
	if l.spool != nil {
		if err := one.unspool(l.spool); err != nil {
			return 0, err
		}
	}
	return one.finish()
}

func (l *spooled) discard() error {
	if l.spool == nil {
		return nil
	}
	return l.spool.Abort()
}
