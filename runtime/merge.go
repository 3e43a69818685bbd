package runtime

import "sync"

// A merger folds the states of units together in the order of the units, whatever order they finish in.
type merger[T any] struct {
	merge    func(into, next T)
	mu       sync.Mutex
	open     map[int]T
	finished map[int]bool
	next     int
	any      bool
	total    T
}

func newMerger[T any](merge func(into, next T)) *merger[T] {
	return &merger[T]{merge: merge, open: map[int]T{}, finished: map[int]bool{}}
}

// get returns the state of a unit, made on first use. Only the goroutine that works on the unit uses it until finish.
func (m *merger[T]) get(ordinal int, make func() T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.open[ordinal]
	if !ok {
		s = make()
		m.open[ordinal] = s
	}
	return s
}

// finish says that a unit's state is complete, or that it has none.
func (m *merger[T]) finish(ordinal int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finished[ordinal] = true
	for m.finished[m.next] {
		delete(m.finished, m.next)
		if s, ok := m.open[m.next]; ok {
			delete(m.open, m.next)
			if m.any {
				m.merge(m.total, s)
			} else {
				m.total, m.any = s, true
			}
		}
		m.next++
	}
}

// value returns the states merged so far; the zero value if there were none.
func (m *merger[T]) value() T {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}
