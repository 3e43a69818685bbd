package fsxtest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A Disk is a file system in memory that keeps a log of what is done to it, from which [Disk.Explore] makes the states
// that a power cut may leave. Programs see it as they would see any other: what is written can be read at once. Paths are
// absolute; a folder is there once something was put below it, or once it was made.
type Disk struct {
	// LinkRename makes RenameNew two steps, a second name and the removal of the first, as on file systems that have no
	// rename that refuses to replace.
	LinkRename bool

	mu    sync.Mutex
	names map[string]*node
	nodes []*node
	log   []operation
}

// node is a file or folder as programs see it.
type node struct {
	id     int
	folder bool
	data   []byte
	holder *diskFile // who has it locked
}

type kind uint8

const (
	opWrite    kind = iota // data at off
	opTruncate             // to size off
	opSync
	opEntries // names changed in a folder, all of them or none
	opSyncDir
	opPromise
)

func (k kind) String() string {
	return [...]string{"write", "truncate", "sync", "entries", "sync of folder", "promise"}[k]
}

// operation is one line of the log. Operations that change nothing are not logged.
type operation struct {
	kind    kind
	node    int
	off     int64
	data    []byte
	folder  string
	entries []entry
	name    string // for messages: what the program called the file
}

// entry says what a name leads to from now on: a node, or nothing.
type entry struct {
	path string
	node int
}

const nothing = -1

// NewDisk returns an empty disk.
func NewDisk() *Disk {
	return &Disk{names: map[string]*node{}}
}

// Put places a file, durable, as if it had always been there.
func (d *Disk) Put(path string, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.add(false)
	n.data = slices.Clone(data)
	d.names[path] = n
	d.addFolders(filepath.Dir(path))
	d.log = append(d.log,
		operation{kind: opEntries, folder: filepath.Dir(path), entries: []entry{{path, n.id}}, name: path},
		operation{kind: opSyncDir, folder: filepath.Dir(path), name: filepath.Dir(path)},
		operation{kind: opWrite, node: n.id, data: n.data, name: path},
		operation{kind: opSync, node: n.id, name: path})
	n.data = slices.Clone(n.data)
}

// AddFolder places a folder and those above it, durable.
func (d *Disk) AddFolder(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addFolders(path)
}

func (d *Disk) addFolders(path string) {
	for ; d.names[path] == nil; path = filepath.Dir(path) {
		n := d.add(true)
		d.names[path] = n
		d.log = append(d.log,
			operation{kind: opEntries, folder: filepath.Dir(path), entries: []entry{{path, n.id}}, name: path},
			operation{kind: opSyncDir, folder: filepath.Dir(path), name: filepath.Dir(path)})
	}
}

func (d *Disk) add(folder bool) *node {
	n := &node{id: len(d.nodes), folder: folder}
	d.nodes = append(d.nodes, n)
	return n
}

// Promise notes that the program has told its user that what it did is safe. Images of later crashes know how many
// promises were made.
func (d *Disk) Promise() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, operation{kind: opPromise})
}

// Mark returns the length of the log: what Explore is to begin with, so that what came before is taken for granted.
func (d *Disk) Mark() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.log)
}

// Bytes returns what programs read of a file.
func (d *Disk) Bytes(path string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.names[path]
	if n == nil || n.folder {
		return nil, false
	}
	return slices.Clone(n.data), true
}

// Files returns the paths of all files, sorted.
func (d *Disk) Files() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for path, n := range d.names {
		if !n.folder {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// Settle makes everything durable.
func (d *Disk) Settle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.nodes {
		if !n.folder {
			d.log = append(d.log, operation{kind: opSync, node: n.id})
		}
	}
	for path, n := range d.names {
		if n.folder {
			d.log = append(d.log, operation{kind: opSyncDir, folder: path, name: path})
		}
	}
}

// Mirror makes a folder of the operating system's what programs see of the one of that path here, for readers that look
// there.
func (d *Disk) Mirror(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for path, n := range d.names {
		if path != dir && !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			continue
		}
		folder := path
		if !n.folder {
			folder = filepath.Dir(path)
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		if n.folder {
			continue
		}
		if err := os.WriteFile(path, n.data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is Snapshot of a folder of this disk.
func (d *Disk) snapshot(dir string) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for path, n := range d.names {
		switch {
		case !strings.HasPrefix(path, dir+string(filepath.Separator)):
		case n.folder:
			out[path] = snapshotFolder
		default:
			out[path] = string(n.data)
		}
	}
	return out
}

// OpenFile implements fsx.FS.
func (d *Disk) OpenFile(path string, flag int, _ fs.FileMode) (fsx.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path = filepath.Clean(path)
	fail := func(err error) (fsx.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
	n := d.names[path]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return fail(fs.ErrNotExist)
	case n == nil:
		folder := filepath.Dir(path)
		if p := d.names[folder]; p == nil || !p.folder {
			return fail(fs.ErrNotExist)
		}
		n = d.add(false)
		d.change(path, folder, entry{path, n.id})
	case flag&os.O_EXCL != 0:
		return fail(fs.ErrExist)
	case n.folder && flag&(os.O_WRONLY|os.O_RDWR) != 0:
		return fail(errors.New("is a folder"))
	case flag&os.O_TRUNC != 0 && len(n.data) > 0:
		n.data = nil
		d.log = append(d.log, operation{kind: opTruncate, node: n.id, name: path})
	}
	return &diskFile{d: d, n: n, name: path}, nil
}

// change logs names that change together and shows them to programs.
func (d *Disk) change(what, folder string, entries ...entry) {
	d.log = append(d.log, operation{kind: opEntries, folder: folder, entries: entries, name: what})
	for _, e := range entries {
		if e.node == nothing {
			delete(d.names, e.path)
		} else {
			d.names[e.path] = d.nodes[e.node]
		}
	}
}

// Stat implements fsx.FS.
func (d *Disk) Stat(path string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path = filepath.Clean(path)
	n := d.names[path]
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return info{filepath.Base(path), int64(len(n.data)), n}, nil
}

// ReadDir implements fsx.FS.
func (d *Disk) ReadDir(dir string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir = filepath.Clean(dir)
	if n := d.names[dir]; n == nil || !n.folder {
		return nil, &fs.PathError{Op: "readdir", Path: dir, Err: fs.ErrNotExist}
	}
	var out []fs.DirEntry
	for path, n := range d.names {
		if filepath.Dir(path) == dir && path != dir {
			out = append(out, fs.FileInfoToDirEntry(info{filepath.Base(path), int64(len(n.data)), n}))
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Mkdir implements fsx.FS.
func (d *Disk) Mkdir(dir string, _ fs.FileMode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir = filepath.Clean(dir)
	if d.names[dir] != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if p := d.names[filepath.Dir(dir)]; p == nil || !p.folder {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	d.change(dir, filepath.Dir(dir), entry{dir, d.add(true).id})
	return nil
}

// Rename implements fsx.FS.
func (d *Disk) Rename(from, to string) error { return d.rename(from, to, true) }

// RenameNew implements fsx.FS.
func (d *Disk) RenameNew(from, to string) error { return d.rename(from, to, false) }

func (d *Disk) rename(from, to string, replace bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	fail := func(err error) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: err} }
	n := d.names[from]
	switch {
	case n == nil:
		return fail(fs.ErrNotExist)
	case filepath.Dir(from) != filepath.Dir(to):
		return fail(errors.New("the names are in two folders, and nothing says which of them a crash leaves"))
	case d.names[to] != nil && !replace:
		return fail(fs.ErrExist)
	}
	folder := filepath.Dir(to)
	if !replace && d.LinkRename {
		d.change(to, folder, entry{to, n.id})
		d.change(from, folder, entry{from, nothing})
		return nil
	}
	d.change(to, folder, entry{from, nothing}, entry{to, n.id})
	return nil
}

// Remove implements fsx.FS.
func (d *Disk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	path = filepath.Clean(path)
	n := d.names[path]
	if n == nil {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrNotExist}
	}
	if n.folder {
		for other := range d.names {
			if filepath.Dir(other) == path && other != path {
				return &fs.PathError{Op: "remove", Path: path, Err: errors.New("folder not empty")}
			}
		}
	}
	d.change(path, filepath.Dir(path), entry{path, nothing})
	return nil
}

// SyncDir implements fsx.FS.
func (d *Disk) SyncDir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir = filepath.Clean(dir)
	if n := d.names[dir]; n == nil || !n.folder {
		return &fs.PathError{Op: "sync", Path: dir, Err: fs.ErrNotExist}
	}
	d.log = append(d.log, operation{kind: opSyncDir, folder: dir, name: dir})
	return nil
}

// diskFile is an open file of a Disk.
type diskFile struct {
	d      *Disk
	n      *node
	name   string
	at     int64 // of Write
	closed bool
}

// Name implements fsx.File.
func (f *diskFile) Name() string { return f.name }

// Stat implements fsx.File.
func (f *diskFile) Stat() (fs.FileInfo, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return nil, f.fail("stat", fs.ErrClosed)
	}
	return info{filepath.Base(f.name), int64(len(f.n.data)), f.n}, nil
}

func (f *diskFile) fail(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// ReadAt implements fsx.File.
func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return 0, f.fail("read", fs.ErrClosed)
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write implements fsx.File.
func (f *diskFile) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

// WriteAt implements fsx.File.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return 0, f.fail("write", fs.ErrClosed)
	}
	if len(p) == 0 {
		return 0, nil
	}
	f.n.data = resized(f.n.data, max(int64(len(f.n.data)), off+int64(len(p))))
	copy(f.n.data[off:], p)
	f.d.log = append(f.d.log, operation{kind: opWrite, node: f.n.id, off: off, data: slices.Clone(p), name: f.name})
	return len(p), nil
}

// CopyRange implements fsx.RangeCopier.
func (f *diskFile) CopyRange(off int64, src fsx.File, srcOff, n int64) (int64, error) {
	from, ok := src.(*diskFile)
	if !ok || from.n == f.n {
		return 0, errors.ErrUnsupported
	}
	p := make([]byte, n)
	k, err := from.ReadAt(p, srcOff)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	k, err = f.WriteAt(p[:k], off)
	return int64(k), err
}

// Truncate implements fsx.File.
func (f *diskFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return f.fail("truncate", fs.ErrClosed)
	}
	if size == int64(len(f.n.data)) {
		return nil
	}
	f.n.data = resized(f.n.data, size)
	f.d.log = append(f.d.log, operation{kind: opTruncate, node: f.n.id, off: size, name: f.name})
	return nil
}

// resized returns data with that many bytes; new ones are zeros.
func resized(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	have := len(data)
	data = slices.Grow(data, int(size)-have)[:size]
	clear(data[have:])
	return data
}

// Sync implements fsx.File.
func (f *diskFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return f.fail("sync", fs.ErrClosed)
	}
	f.d.log = append(f.d.log, operation{kind: opSync, node: f.n.id, name: f.name})
	return nil
}

// TryLock implements fsx.File.
func (f *diskFile) TryLock() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.n.holder != nil && f.n.holder != f {
		return &colstore.Error{Op: "lock", Path: f.name, Err: colstore.ErrLocked}
	}
	f.n.holder = f
	return nil
}

// Close implements fsx.File.
func (f *diskFile) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return f.fail("close", fs.ErrClosed)
	}
	f.closed = true
	if f.n.holder == f {
		f.n.holder = nil
	}
	return nil
}

// info describes a node.
type info struct {
	name string
	size int64
	n    *node
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Unix(0, 0) }
func (i info) IsDir() bool        { return i.n.folder }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.n.folder {
		return fs.ModeDir | 0o777
	}
	return 0o666
}

// SameFile reports whether another description is of the same node.
func (i info) SameFile(other fs.FileInfo) bool {
	o, ok := other.(info)
	return ok && o.n == i.n
}
