package source

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/source/format"
)

// openFiles reads the headers of the files, several at once. Of several files that cannot be opened the first is told.
func (t *Table) openFiles(ctx context.Context) error {
	var mu sync.Mutex
	failed, first := len(t.files), error(nil) // the first file that cannot be opened, and why
	threads := max(1, t.spec.Threads)
	// Each thread takes the next file, so that all files before one that fails are opened, or fail themselves.
	err := parallel.Each(len(t.files), threads, func(i int) error {
		mu.Lock()
		late := i > failed
		mu.Unlock()
		if late {
			return nil
		}
		err := t.files[i].open(ctx, &t.spec, max(1, threads/len(t.files)))
		if err == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if i < failed {
			failed, first = i, err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return first
}

// open reads the header of a file, with so many threads where that takes reading it.
func (f *tableFile) open(ctx context.Context, s *Spec, threads int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	given, err := f.options(s.Options)
	if err != nil {
		return err
	}
	o, err := format.CheckOptions("reading "+f.d.Name, f.d.Read.Options, given)
	if err != nil {
		return err
	}
	f.file, err = f.d.Read.Open(ctx, &format.OpenRequest{Path: f.path, Options: o, Nulls: s.Nulls, Jagged: s.Jagged, Limits: s.Limits, Threads: threads})
	return err
}

// nameFiles takes the names of the columns of every file. Files that have those of the one before share them.
func (t *Table) nameFiles() {
	var last []string // as the file before has them, columns that are hidden too
	for i := range t.files {
		names := t.files[i].file.Names()
		if i > 0 && slices.Equal(names, last) {
			t.files[i].names = t.files[i-1].names
			continue
		}
		t.files[i].names, last = t.unhidden(names), names
	}
}

// variants yields the files but those that have the columns of the file before: what names decide, these decide.
func (t *Table) variants() iter.Seq[*tableFile] {
	return func(yield func(*tableFile) bool) {
		for i := range t.files {
			if (i == 0 || !t.files[i].shares(&t.files[i-1])) && !yield(&t.files[i]) {
				return
			}
		}
	}
}

// shares reports whether a file has its names from another.
func (f *tableFile) shares(o *tableFile) bool {
	return len(f.names) == len(o.names) && len(f.names) > 0 && &f.names[0] == &o.names[0]
}
