package root

import (
	"context"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// An object is what a key tells about, by its name with the directories it is in.
type object struct {
	path string
	key  meta.Key
}

// maxDirectories is how deep directories nest.
const maxDirectories = 32

// objects returns all objects of the file but directories.
func (f *file) objects(ctx context.Context) ([]object, error) {
	if f.size == 0 {
		return nil, fmt.Errorf("%w: the file is empty", colstore.ErrTruncated)
	}
	head, err := f.bytes(0, min(f.size, 2*meta.HeaderBytes))
	if err != nil {
		return nil, err
	}
	h, err := meta.ParseHeader(head, f.size)
	if err != nil {
		return nil, err
	}
	w := &walk{f: f, seen: map[int64]bool{}}
	err = w.directory(ctx, "", h.Directory, 0)
	return w.objects, err
}

// A walk goes through the directories of a file.
type walk struct {
	f       *file
	seen    map[int64]bool // lists of keys
	bytes   int64          // of all lists
	objects []object
}

// directory adds the objects of the directory whose record is at an offset.
func (w *walk) directory(ctx context.Context, path string, at int64, depth int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if depth > maxDirectories {
		return fmt.Errorf("%w: directories nest deeper than %d", colstore.ErrFormat, maxDirectories)
	}
	record, err := w.f.bytes(at, min(meta.DirectoryBytes, w.f.size-at))
	if err != nil {
		return err
	}
	d, err := meta.ParseDirectory(record)
	if err != nil {
		return fmt.Errorf("directory %q: %w", path, err)
	}
	if d.Keys == 0 {
		if depth == 0 {
			return fmt.Errorf("%w: it has no list of keys; was it written to its end?", colstore.ErrTruncated)
		}
		return nil
	}
	if w.seen[d.Keys] {
		return fmt.Errorf("%w: directory %q is in itself", colstore.ErrFormat, path)
	}
	w.seen[d.Keys] = true
	// Lists that overlap could make the work grow with the square of the file's size.
	if w.bytes += max(0, d.KeysBytes); w.bytes > w.f.size {
		return fmt.Errorf("%w: lists of keys of more bytes than the file has", colstore.ErrTruncated)
	}
	list, err := w.f.bytes(d.Keys, d.KeysBytes)
	if err != nil {
		return fmt.Errorf("the keys of directory %q: %w", path, err)
	}
	keys, err := meta.ParseKeys(list)
	if err != nil {
		return fmt.Errorf("the keys of directory %q: %w", path, err)
	}
	for _, k := range keys {
		if err := w.f.has(k.Seek, k.Bytes); err != nil {
			return fmt.Errorf("the object %q: %w", path+k.Name, err)
		}
		if k.Class == "TDirectory" || k.Class == "TDirectoryFile" {
			if err := w.directory(ctx, path+k.Name+"/", k.Seek+int64(k.KeyBytes), depth+1); err != nil {
				return err
			}
			continue
		}
		w.objects = append(w.objects, object{path + k.Name, k})
	}
	return nil
}
