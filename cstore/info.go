package cstore

import (
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Info is what the header of a file says.
type Info struct {
	Path            string           `json:"path"`
	Format          string           `json:"format"`
	FormatVersion   int              `json:"format_version"`
	Rows            int64            `json:"n_rows"`
	Records         int64            `json:"n_records"`
	FileSize        int64            `json:"file_size"`
	NeedsCompaction bool             `json:"needs_compaction"`
	Statistics      bool             `json:"statistics"` // the header points at a footer; it may still be unusable
	Columns         []map[string]any `json:"columns"`    // name, dtype, encoding, nullable, and keys this program does not know
	Schema          *colstore.Schema `json:"-"`
}

// Stat reads the header of the file at path and nothing else: it is as quick for a terabyte as for a kilobyte, and does
// not notice a file whose records are cut.
//
// Errors: colstore.ErrFormat and what it covers; those of the file system. All name the path.
func Stat(path string) (*Info, error) {
	fail := func(err error) (*Info, error) {
		return nil, &colstore.Error{Op: "open", Path: path, Err: fsx.Bare(err)}
	}
	f, err := fsx.OpenRegular(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	var h *header
	if err := withHead(f, func(head io.ReaderAt) (err error) {
		h, err = readHeader(head, st.Size())
		return err
	}); err != nil {
		return fail(err)
	}
	columns, err := h.manifest.decodeColumns()
	if err != nil {
		return fail(err)
	}
	info := &Info{
		Path: path, Format: "cstore", FormatVersion: formatVersion, Rows: h.rows, Records: h.records, FileSize: h.size,
		NeedsCompaction: h.records > 1, Statistics: h.statsOffset > 0 && h.statsOffset < h.size,
		Columns: columns, Schema: h.schema,
	}
	for _, c := range info.Columns {
		if _, there := c["encoding"]; !there {
			c["encoding"] = "raw"
		}
		if _, there := c["nullable"]; !there {
			c["nullable"] = false
		}
	}
	return info, nil
}
