package feather

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

const (
	// viewBytes is how much of the buffers of views is kept, unless some rows need more.
	viewBytes = 16 << 20
	// viewRows is how few rows are looked at together where many would need more than that.
	viewRows = 256
)

// view reads the values of rows that are told by headers, of which row 0 is row at.
func (k *cursor) view(a *columnar.Array, at int, skip func(longest int64) bool, f visit) error {
	headers := a.Buffers[1]
	longest := int64(0)
	for i := range a.Rows {
		longest = max(longest, int64(int32(binary.LittleEndian.Uint32(headers[columnar.ViewBytes*i:]))))
	}
	if skip != nil && skip(longest) {
		return nil
	}
	named := k.views.named(headers)
	if a.Rows > viewRows && k.views.size(named) > viewBytes {
		half := a.Rows / 2 / 8 * 8
		for _, r := range [][2]int{{0, half}, {half, a.Rows}} {
			part := &columnar.Array{Rows: r[1] - r[0], Buffers: [][]byte{
				slideBits(a.Buffers[0], r[0], r[1]-r[0]), headers[r[0]*columnar.ViewBytes : r[1]*columnar.ViewBytes],
			}}
			if err := k.view(part, at+r[0], skip, f); err != nil {
				return err
			}
		}
		return nil
	}
	buffers, err := k.views.load(named)
	if err != nil {
		return err
	}
	a.Buffers = append(a.Buffers, buffers...)
	return k.values(a, at, f)
}

// viewBuffers are the buffers that views of one record batch refer to.
type viewBuffers struct {
	f     *file
	b     *body
	which []meta.Buffer
	held  [][]byte
	bytes int    // held
	spare []byte // the memory of one that was dropped
}

// named returns the buffers that headers name, of those that there are.
func (v *viewBuffers) named(headers []byte) map[uint32]bool {
	const inline = 12
	named := map[uint32]bool{}
	for at := 0; at < len(headers); at += columnar.ViewBytes {
		i := binary.LittleEndian.Uint32(headers[at+8:])
		if binary.LittleEndian.Uint32(headers[at:]) > inline && int64(i) < int64(len(v.which)) {
			named[i] = true
		}
	}
	return named
}

// size returns what buffers take when they are decoded. What cannot be told will be said by load.
func (v *viewBuffers) size(named map[uint32]bool) int64 {
	n := int64(0)
	for i := range named {
		if data := v.held[i]; data != nil {
			n += int64(len(data))
		} else if s, err := v.f.stream(v.b, v.which[i]); err == nil {
			n += s.size
		}
	}
	return n
}

// load returns the buffers, of which those that are not named may be nil.
//
// Errors: colstore.ErrFormat, also for more than a few rows should need.
func (v *viewBuffers) load(named map[uint32]bool) ([][]byte, error) {
	if n, most := v.size(named), 4*int64(v.f.limits.Page); n > most {
		return nil, fmt.Errorf("%w: the values of %d rows lie in buffers of %s, the limit is %s (4 × limits.page)",
			colstore.ErrFormat, viewRows, colstore.ByteSize(n), colstore.ByteSize(most))
	}
	for i := range named {
		if v.held[i] != nil {
			continue
		}
		if v.bytes > viewBytes {
			v.drop(named)
		}
		data, err := v.f.all(v.b, v.which[i], v.spare)
		if err != nil {
			return nil, err
		}
		v.held[i], v.spare = data, nil
		v.bytes += len(data)
	}
	return v.held, nil
}

// drop lets go of the buffers that are not named.
func (v *viewBuffers) drop(named map[uint32]bool) {
	for i, data := range v.held {
		if data != nil && !named[uint32(i)] {
			v.bytes -= len(data)
			v.held[i] = nil
			if cap(data) > cap(v.spare) {
				v.spare = data
			}
		}
	}
}
