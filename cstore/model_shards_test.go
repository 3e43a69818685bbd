package cstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// shardSteps are about the world's one folder of shards.
var shardSteps = []step{
	{"append", 12, (*world).appendShards},
	{"append files", 4, (*world).appendFiles},
	{"read the folder", 5, (*world).readFolder},
	{"empty the folder", 1, (*world).emptyFolder},
}

func (w *world) folder() string { return filepath.Join(w.dir, "shards") }

// appendShards writes some batches as shards, flushes now and then, and commits, or not.
func (w *world) appendShards() (err error) {
	kind := w.r.IntN(len(kinds))
	if len(w.shards) > 0 && w.r.IntN(10) > 0 {
		kind = w.shards[0].kind
	}
	o := cstore.AppendOptions{Stats: w.r.IntN(2) == 0, Split: w.r.IntN(2) == 0, PublishFull: w.r.IntN(3) == 0}
	if w.r.IntN(3) > 0 {
		o.ShardRows = 1 + w.r.Int64N(40)
	}
	w.note("kind %d, %+v", kind, o)
	done := w.dying()
	a, err := cstore.NewAppenderIn(w.ctx, w.folder(), kinds[kind].schema, &o)
	if err != nil {
		if died := done(); died || errors.Is(err, colstore.ErrMismatch) && len(w.shards) > 0 && w.shards[0].kind != kind {
			return w.settleShards(nil, 0)
		}
		return err
	}
	m := shardsModel{kind: kind, o: o}
	committed, err := w.fillShards(a, &m)
	died := done()
	switch {
	case err != nil && !died:
		return err
	case committed || died:
		m.seal()
	}
	if died {
		return w.settleShards(m.shards, m.published)
	}
	if !committed {
		m.shards = m.shards[:m.published]
	}
	return w.settleShards(m.shards, len(m.shards))
}

// fillShards does to an appender what it does to its model.
func (w *world) fillShards(a *cstore.Appender, m *shardsModel) (committed bool, err error) {
	defer func() { err = errors.Join(err, a.Abort()) }()
	k := kinds[m.kind]
	for range w.r.IntN(6) {
		if w.r.IntN(6) == 0 {
			other := kinds[(m.kind+1)%len(kinds)]
			if err := a.Write(w.ctx, other.batch(other.draw(w.r, 3))); err == nil {
				return false, errors.New("rows of another schema were taken")
			}
		}
		rows := k.draw(w.r, w.r.IntN(50))
		if err := a.Write(w.ctx, k.batch(rows)); err != nil {
			m.add(rows) // some of them may be published, if it died then
			return false, err
		}
		m.add(rows)
		if o := a.Shards(); m.o.PublishFull {
			if len(o) < len(m.shards) && w.fs.left != 0 {
				return false, fmt.Errorf("%d shards are full, and %d are published", len(m.shards), len(o))
			}
			m.published = len(o)
		}
		if w.r.IntN(4) == 0 {
			m.seal()
			if err := a.Flush(w.ctx); err != nil {
				return false, err
			}
			m.published = len(m.shards)
		}
	}
	if w.r.IntN(5) == 0 {
		w.note("aborted")
		return false, nil
	}
	if err := a.Commit(w.ctx); err != nil {
		return false, err
	}
	return true, nil
}

// shardsModel is what an appender makes of its writes.
type shardsModel struct {
	kind      int
	o         cstore.AppendOptions
	open      []byte   // rows of the shard that is not full
	shards    []*table // whole ones
	published int      // of them
}

// add takes the rows of a write.
func (m *shardsModel) add(rows []byte) {
	size := kinds[m.kind].size
	limit := int(m.o.ShardRows) * size
	m.open = append(m.open, rows...)
	for limit > 0 && len(m.open) >= limit {
		n := len(m.open)
		if m.o.Split {
			n = limit
		}
		rest := slices.Clone(m.open[n:])
		m.open = m.open[:n]
		m.seal()
		m.open = rest
	}
}

// seal ends the shard that is open.
func (m *shardsModel) seal() {
	if len(m.open) == 0 {
		return
	}
	t := &table{kind: m.kind, rows: m.open, stats: m.o.Stats}
	t.records = []int{t.len()}
	m.shards, m.open = append(m.shards, t), nil
}

// settleShards finds the folder's shards to be those that it had and then the first of the new ones: so many at least.
func (w *world) settleShards(added []*table, least int) error {
	paths, err := filepath.Glob(filepath.Join(w.folder(), "*.cstore"))
	if err != nil {
		return err
	}
	slices.Sort(paths) // their numbers have the same width
	want := slices.Concat(w.shards, added)
	if len(paths) < len(w.shards)+least || len(paths) > len(want) {
		return fmt.Errorf("there are %d shards, and there should be %d, or up to %d of a writer that died", len(paths), len(w.shards)+least, len(want))
	}
	for i, p := range paths {
		if err := want[i].check(p); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(p), err)
		}
	}
	w.shards = want[:len(paths)]
	return nil
}

// check compares a file with the table.
func (t *table) check(path string) error {
	r, err := cstore.Open(path, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	return t.fits(r, false)
}

// appendFiles adds whole files to the folder.
func (w *world) appendFiles() error {
	var paths []string
	var added []*table
	for range 1 + w.r.IntN(2) {
		name := w.existing()
		if name == "" {
			return nil
		}
		paths, added = append(paths, w.path(name)), append(added, w.files[name])
		w.note("%s", name)
	}
	first := slices.Concat(w.shards, added)[0].kind
	done := w.dying()
	_, err := cstore.AppendFiles(w.ctx, w.folder(), paths, nil)
	died := done()
	switch {
	case died:
		return w.settleShards(added, 0)
	case errors.Is(err, colstore.ErrMismatch) && slices.ContainsFunc(added, func(t *table) bool { return t.kind != first }):
		return w.settleShards(nil, 0)
	case err != nil:
		return err
	}
	return w.settleShards(added, len(added))
}

// readFolder reads the shards as one table.
func (w *world) readFolder() error {
	if len(w.shards) == 0 {
		return nil
	}
	src, err := source.OpenPath(w.ctx, w.folder())
	if err != nil {
		return err
	}
	defer src.Close()
	all := &table{kind: w.shards[0].kind}
	for _, t := range w.shards {
		all = all.plus(t)
	}
	return all.sameRows(src, 1+w.r.IntN(60))
}

func (w *world) emptyFolder() error {
	w.shards = nil
	return os.RemoveAll(w.folder())
}
