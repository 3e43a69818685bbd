package npz

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/source/format"
)

// The compression methods of members.
const (
	methodStored  = 0
	methodDeflate = 8
	methodBzip2   = 12
	methodLZMA    = 14
)

const (
	localMagic      = "PK\x03\x04"
	localHeaderSize = 30 // without name and extra fields
	encryptedFlag   = 1
	// deflateRatio is how many times the size of its input deflate's output can have.
	deflateRatio = 1032
	// denseBytes is the size up to which a member may be as dense as it likes.
	denseBytes = int64(16 * colstore.MiB)
)

// A member is one array of an archive, as the directory has it.
type member struct {
	name       string // of the column
	method     uint16
	crc        uint32
	dataAt     int64 // offset of its bytes
	compressed int64
	size       int64
	refused    error // why it cannot be read
}

// file is an open archive.
type file struct {
	path    string
	f       *fsx.Input
	m       *mmap.Mapping
	members []member
	ignored []string // members that are no arrays
	closed  atomic.Bool
}

func (f *file) failed(op, column string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: op, Path: f.path, Column: column, Err: fsx.Bare(err)}
}

func open(_ context.Context, r *format.OpenRequest) (_ format.File, err error) {
	f := &file{path: r.Path}
	defer func() {
		if err != nil {
			_ = f.Close()
			err = f.failed("open", "", err)
		}
	}()
	if f.f, err = fsx.OpenInput(r.Path); err != nil {
		return nil, err
	}
	st, err := f.f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", colstore.ErrFormat)
	}
	if err := f.readDirectory(st.Size(), r.Limits); err != nil {
		return nil, err
	}
	if err := f.pick(r.Options.Text("member")); err != nil {
		return nil, err
	}
	err = f.f.Use(func(opened *os.File) error {
		f.m, err = mmap.File(opened, r.Path)
		return err
	})
	if err != nil {
		return nil, err
	}
	if int64(len(f.m.Data())) < st.Size() {
		return nil, fmt.Errorf("%w: the file got shorter while it was opened", colstore.ErrTruncated)
	}
	return f, nil
}

// unreadable returns the error of a file that the system does not read, which says nothing of what is in it; nil for others.
func unreadable(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p
	}
	return nil
}

// readDirectory lists the members of the archive and checks that they lie in it, one behind the other.
func (f *file) readDirectory(size int64, limits format.Limits) error {
	z, err := zip.NewReader(f.f, size)
	if err := unreadable(err); err != nil {
		return err
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are no paths here
		var head [len(arrayMagic)]byte
		if _, readErr := f.f.ReadAt(head[:], 0); readErr == nil && string(head[:]) == arrayMagic {
			return fmt.Errorf("%w: a .npy file is one array and no archive; wrap it with numpy.savez", colstore.ErrFormat)
		}
		return fmt.Errorf("%w: not a zip file, or cut short: %w", colstore.ErrFormat, err)
	}
	type extent struct{ begin, end int64 }
	extents := make([]extent, 0, len(z.File))
	seen := map[string]bool{}
	for _, e := range z.File {
		name, isArray := strings.CutSuffix(decodeName(e.Name), suffix)
		m := member{name: name, method: e.Method, crc: e.CRC32, compressed: int64(e.CompressedSize64), size: int64(e.UncompressedSize64)}
		if m.dataAt, err = e.DataOffset(); err != nil {
			if err := unreadable(err); err != nil {
				return err
			}
			return fmt.Errorf("%w: the header of member %q is damaged or missing: %w", colstore.ErrFormat, e.Name, err)
		}
		if m.compressed < 0 || m.size < 0 || m.dataAt > size-m.compressed {
			return fmt.Errorf("%w: member %q reaches beyond the end of the file", colstore.ErrTruncated, e.Name)
		}
		extents = append(extents, extent{m.dataAt - int64(localHeaderSize+len(e.Name)), m.dataAt + m.compressed})
		switch {
		case isArray && seen[name]:
			return &colstore.Error{Column: name, Err: fmt.Errorf("%w: two members have this name", colstore.ErrDuplicate)}
		case isArray:
			seen[name] = true
			m.refused = m.check(e.Flags, limits)
			f.members = append(f.members, m)
		case !strings.HasSuffix(name, "/"):
			f.ignored = append(f.ignored, name)
		}
	}
	if len(f.members) == 0 {
		return fmt.Errorf("%w: the archive has no array; a table needs a column", colstore.ErrValue)
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.begin, b.begin) })
	for i, e := range extents[1:] {
		if e.begin < extents[i].end {
			return fmt.Errorf("%w: two members share the bytes at offset %d", colstore.ErrFormat, e.begin)
		}
	}
	return nil
}

// check returns why the member cannot be read, or nil.
func (m *member) check(flags uint16, limits format.Limits) error {
	switch {
	case flags&encryptedFlag != 0:
		return fmt.Errorf("%w: the member is encrypted; store it without a password", colstore.ErrFormat)
	case m.method == methodLZMA:
		return fmt.Errorf("%w: the member is compressed with LZMA, which is not supported; write it with numpy.savez_compressed", colstore.ErrFormat)
	case m.method != methodStored && m.method != methodDeflate && m.method != methodBzip2:
		return fmt.Errorf("%w: the member is compressed by method %d, which is not supported; write it with numpy.savez_compressed", colstore.ErrFormat, m.method)
	case m.method == methodStored && m.compressed != m.size:
		return fmt.Errorf("%w: a stored member of %d bytes declares %d", colstore.ErrFormat, m.compressed, m.size)
	case m.method == methodDeflate && m.size/deflateRatio > m.compressed:
		return fmt.Errorf("%w: %d deflated bytes declare %d, more than deflate can make of them", colstore.ErrFormat, m.compressed, m.size)
	case m.size > denseBytes && m.size/max(deflateRatio, int64(limits.Expand)) > m.compressed:
		return fmt.Errorf("%w: a member of %s declares %s, more than %d times as much (limits.expand)", colstore.ErrFormat,
			colstore.ByteSize(m.compressed), colstore.ByteSize(m.size), max(deflateRatio, limits.Expand))
	}
	return nil
}

// pick leaves only the array of that name, if one is given.
func (f *file) pick(name string) error {
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(f.members, func(m member) bool { return m.name == name })
	if i < 0 {
		i = slices.IndexFunc(f.members, func(m member) bool { return m.name+suffix == name })
	}
	if i < 0 {
		return colstore.NoColumn(name, f.Names())
	}
	f.members = f.members[i : i+1]
	return nil
}

// Names returns the columns in the order of the archive's directory.
func (f *file) Names() []string {
	out := make([]string, len(f.members))
	for i, m := range f.members {
		out[i] = m.name
	}
	return out
}

// Close closes the file. Batches that are still held stay valid.
func (f *file) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	if f.m != nil {
		f.m.Release()
	}
	if f.f != nil {
		return f.f.Close()
	}
	return nil
}

// decodeName returns a member's name. One that is no UTF-8 was written by an old program in the character set of the IBM PC.
func decodeName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteRune(codePage437[c-0x80])
		}
	}
	return b.String()
}

// codePage437 are the characters of the bytes from 0x80 on.
var codePage437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")
