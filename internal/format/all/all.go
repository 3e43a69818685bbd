package all

import (
	"fmt"
	"slices"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/cstore"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/internal/format/feather"
	"github.com/colstore/colstore-go/internal/format/json"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/internal/format/parquet"
	"github.com/colstore/colstore-go/internal/format/root"
	"github.com/colstore/colstore-go/source/format"
)

var (
	mu    sync.RWMutex
	table = []*format.Descriptor{
		cstore.Descriptor,
		parquet.Descriptor,
		csv.Descriptor,
		csv.TSV,
		npz.Descriptor,
		json.Descriptor,
		json.Lines,
		feather.Descriptor,
		root.Descriptor,
	}
)

// Register adds a format to the table.
//
// Errors: colstore.ErrOption for a description that lacks something, colstore.ErrExists for a name or extension that is
// taken.
func Register(d *format.Descriptor) error {
	if err := d.Check(); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if format.ByName(table, d.Name) != nil {
		return fmt.Errorf("%w: a format %q", colstore.ErrExists, d.Name)
	}
	for _, e := range d.Extensions {
		if other := format.ByExtension(table, e); other != nil {
			return fmt.Errorf("%w: format %q: the extension %s is that of %q", colstore.ErrExists, d.Name, e, other.Name)
		}
	}
	table = append(table, d)
	return nil
}

// Table returns the formats, the native one first.
func Table() []*format.Descriptor {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Clip(table)
}
