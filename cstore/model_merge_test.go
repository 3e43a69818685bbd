package cstore_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// mergeSteps make one record of many.
var mergeSteps = []step{
	{"compact", 8, (*world).compact},
	{"concat", 6, (*world).concat},
}

// compact makes one record of a file's, in its place or elsewhere.
func (w *world) compact() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	old := w.files[name]
	to, o := name, cstore.CompactOptions{Stats: cstore.StatsPolicy(w.r.IntN(3)), Threads: w.r.IntN(3)}
	if w.r.IntN(2) == 0 {
		if to = w.anyName(); to != name {
			o.Out, o.Replace = w.path(to), w.r.IntN(4) > 0
		}
	}
	there := w.files[to]
	w.note("%s to %s, statistics %d", name, to, o.Stats)
	done := w.dying()
	c, err := cstore.Compact(w.ctx, w.path(name), &o)
	died := done()
	made := &table{kind: old.kind, rows: old.rows, records: []int{old.len()}, stats: o.Stats == cstore.StatsWrite || o.Stats == cstore.StatsKeep && old.stats}
	made.anyStats = o.Stats == cstore.StatsKeep // those that a header points at are made again, though they were damaged
	switch {
	case died:
		return w.settle(to, there, made, true)
	case errors.Is(err, colstore.ErrExists) && there != nil && to != name && !o.Replace:
		return w.settle(to, there, there, false)
	case err != nil:
		return err
	case c.Rows != int64(old.len()) || c.Records != int64(len(old.records)):
		return fmt.Errorf("it tells of %+v", c)
	}
	if err := w.settle(to, there, made, false); err != nil {
		return err
	}
	if c.Statistics != w.files[to].stats {
		return fmt.Errorf("it tells of statistics %v", c.Statistics)
	}
	return nil
}

// concat makes one file of several of a schema.
func (w *world) concat() (err error) {
	from := w.existing()
	if from == "" {
		return nil
	}
	to := w.anyName()
	kind := w.files[from].kind
	var names []string
	for n, t := range w.files {
		if t.kind == kind && n != to {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil
	}
	all := &table{kind: kind}
	keeps := true
	var readers []*cstore.Reader
	defer func() {
		for _, r := range readers {
			err = errors.Join(err, r.Close())
		}
	}()
	for range 1 + w.r.IntN(4) {
		n := names[w.r.IntN(len(names))] // a file may be there twice
		r, err := cstore.Open(w.path(n), nil)
		if err != nil {
			return err
		}
		readers, all, keeps = append(readers, r), all.plus(w.files[n]), keeps && w.files[n].stats
		w.note("%s", n)
	}
	o := cstore.ConcatOptions{Replace: w.r.IntN(4) > 0, Stats: cstore.StatsPolicy(w.r.IntN(3)), Threads: w.r.IntN(3)}
	w.note("to %s, statistics %d", to, o.Stats)
	all.records = []int{all.len()}
	all.stats = o.Stats == cstore.StatsWrite || o.Stats == cstore.StatsKeep && keeps
	there := w.files[to]
	done := w.dying()
	c, err := cstore.Concat(w.ctx, w.path(to), readers, &o)
	died := done()
	switch {
	case died:
		return w.settle(to, there, all, true)
	case errors.Is(err, colstore.ErrExists) && there != nil && !o.Replace:
		return w.settle(to, there, there, false)
	case err != nil:
		return err
	case c.Rows != int64(all.len()) || c.Statistics != all.stats:
		return fmt.Errorf("it tells of %+v", c)
	}
	return w.settle(to, there, all, false)
}
