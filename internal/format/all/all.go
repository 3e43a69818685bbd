package all

import (
	"slices"
	"sync"

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

// Table returns the formats, the native one first.
func Table() []*format.Descriptor {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Clip(table)
}
