package source

import (
	"slices"
	"sync"

	"github.com/colstore/colstore-go"
)

// A keeper is a source that keeps where its rows lie in memory from one read to the next, until it is closed.
type keeper interface {
	// keep returns the rows with at least the columns of a schema, retained, or nil if they are not kept: the source has too
	// many files, does not lie in memory, or all is false and asking for a part of the rows costs less.
	keep(s *colstore.Schema, all bool) (*held, error)
}

const (
	// keptFiles is the most files of which rows are kept: those that stay mapped between reads anyway.
	keptFiles = 1 << 11
	// keptColumns is the most columns, of all files together, that are kept for more than the read that asked for them.
	keptColumns = 1 << 14
	// soonMapped is up to how many files are asked for all at once.
	soonMapped = 16
)

// kept is what an opened table keeps: the columns that were last read.
type kept struct {
	mu     sync.Mutex
	rows   *held // nil for nothing
	closed bool
}

func (k *kept) keep(c *concat, s *colstore.Schema, all bool) (*held, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.rows != nil && k.rows.memory.has(s) && k.rows.retain():
		return k.rows, nil
	case k.closed || len(c.parts) > keptFiles || !all && len(c.parts) > soonMapped:
		return nil, nil
	}
	more := s
	if k.rows != nil {
		names := k.rows.memory.schema.Names()
		for _, f := range s.All() {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
		if len(names)*len(k.rows.memory.parts) <= keptColumns {
			var err error
			if more, err = c.schema.Select(names...); err != nil {
				return nil, err
			}
		}
	}
	m, ok, err := mapped(c, more, colstore.Range{Begin: 0, End: c.Rows()}, nil)
	if err != nil || !ok {
		return nil, err
	}
	k.drop()
	k.rows = &held{memory: m}
	k.rows.refs.Store(2) // the table's, and the caller's
	return k.rows, nil
}

// drop gives back what is kept. The caller holds mu.
func (k *kept) drop() {
	if k.rows != nil {
		k.rows.release()
		k.rows = nil
	}
}

func (k *kept) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop()
	k.closed = true
}

// has reports whether a schema's columns are among the rows'.
func (m *memoryRows) has(s *colstore.Schema) bool {
	if m.schema == s {
		return true
	}
	for _, f := range s.All() {
		if _, ok := m.schema.Index(f.Name); !ok {
			return false
		}
	}
	return true
}
