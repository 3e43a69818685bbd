// Package all is the table of the formats there are.
package all

import (
	"sync"

	"github.com/colstore/colstore-go/internal/format"
	"github.com/colstore/colstore-go/internal/format/cstore"
)

var (
	mu    sync.RWMutex
	table = []*format.Descriptor{
		cstore.Descriptor,
	}
)

// Table returns the formats, the native one first.
func Table() []*format.Descriptor {
	mu.RLock()
	defer mu.RUnlock()
	return table[:len(table):len(table)]
}
