package feather

import (
	"fmt"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// dictionaries are those that scans share, the last one of each column.
type dictionaries struct {
	mu    sync.Mutex
	held  map[int]heldDictionary
	bytes int64 // of all that are held
}

type heldDictionary struct {
	last   *body // the last of its parts
	parts  int
	values *columnar.Array
	bytes  int64
}

// load returns the dictionary of a column in a record batch.
func (d *dictionaries) load(f *file, c *columnar.Column, b *batch) (*columnar.Array, error) {
	parts := b.dictionaries[f.leaves[c.Place].field.Dictionary]
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: its dictionary is not there", colstore.ErrFormat)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	last := parts[len(parts)-1]
	if h := d.held[c.Place]; h.last == last && h.parts == len(parts) {
		return h.values, nil
	}
	d.bytes -= d.held[c.Place].bytes
	delete(d.held, c.Place)
	arrays := make([]*columnar.Array, len(parts))
	total := int64(0)
	for i, p := range parts {
		buffers, err := f.dictionaryBuffers(c.Type, p)
		if err != nil {
			return nil, fmt.Errorf("its dictionary: %w", err)
		}
		for _, buf := range buffers {
			if s, err := f.stream(p, buf); err == nil {
				total += s.size
			}
		}
		// Small buffers may be as dense as they like, but not any number of them.
		if most := f.size + 4*int64(f.limits.Page); total > most-d.bytes {
			return nil, fmt.Errorf("%w: the dictionaries take more than %s (the file's size and 4 × limits.page)", colstore.ErrFormat, colstore.ByteSize(most))
		}
		if arrays[i], err = f.dictionaryPart(p, buffers); err != nil {
			return nil, fmt.Errorf("its dictionary: %w", err)
		}
	}
	values := arrays[0]
	if len(arrays) > 1 {
		var err error
		if values, err = columnar.Join(c.Type, arrays); err != nil {
			return nil, fmt.Errorf("its dictionary: %w", err)
		}
	}
	d.held[c.Place] = heldDictionary{last, len(parts), values, total}
	d.bytes += total
	return values, nil
}

// dictionaryBuffers returns the buffers of one part of a dictionary of values of a type.
func (f *file) dictionaryBuffers(t columnar.Type, b *body) ([]meta.Buffer, error) {
	if b.Rows > maxRows {
		return nil, fmt.Errorf("%w: a dictionary of %d values", colstore.ErrFormat, b.Rows)
	}
	if t.Kind == columnar.Null {
		return nil, nil
	}
	n := 2
	if t.OffsetBytes() > 0 {
		n = 3
	}
	if t.IsView() {
		if len(b.Variadic) == 0 || b.Variadic[0] < 0 || b.Variadic[0] > int64(len(b.Buffers)) {
			return nil, fmt.Errorf("%w: the buffers of its values are not counted", colstore.ErrFormat)
		}
		n += int(b.Variadic[0])
	}
	if len(b.Nodes) == 0 || len(b.Buffers) < n || b.Nodes[0].Rows != b.Rows {
		return nil, fmt.Errorf("%w: it describes other values than the schema", colstore.ErrFormat)
	}
	out := append([]meta.Buffer(nil), b.Buffers[:n]...)
	if b.Nodes[0].Nulls == 0 {
		out[0] = meta.Buffer{}
	}
	return out, nil
}

// dictionaryPart decodes one part of a dictionary.
func (f *file) dictionaryPart(b *body, buffers []meta.Buffer) (*columnar.Array, error) {
	a := &columnar.Array{Rows: int(b.Rows)}
	for _, buf := range buffers {
		data, err := f.all(b, buf, nil)
		if err != nil {
			return nil, err
		}
		a.Buffers = append(a.Buffers, data)
	}
	return a, nil
}
