package feather_test

import (
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/source/format"
)

// What is through with a record batch gives back all of its pages, also those of buffers that are too small for that
// while they are read: else a file of many small ones stays in memory whole.
func TestSmallBuffersAreGivenBack(t *testing.T) {
	const batches, rows, width = 256, 4096, 8
	var offsets, text []byte
	for i := range rows + 1 {
		offsets = append(offsets, byte(i*width), byte(i*width>>8), byte(i*width>>16), 0)
		if i < rows {
			text = append(text, "colstore"...)
		}
	}
	pad := (8 - len(offsets)%8) % 8
	body := append(append(offsets, make([]byte, pad)...), text...)
	data := meta.SchemaMessage([]meta.Field{textField}, nil)
	for range batches {
		b := meta.Batch{Rows: rows, Nodes: []meta.Node{{Rows: rows}}, Codec: meta.Stored, Buffers: []meta.Buffer{
			{}, {Bytes: int64(len(offsets))}, {Offset: int64(len(offsets) + pad), Bytes: int64(len(text))},
		}}
		data = append(data, meta.BatchMessage(&b, int64(len(body)), int64(len(data)), 8)...)
		data = append(data, body...)
	}
	path := put(t, append(data, meta.EndOfStream()...))
	f, err := openFile(path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	if kept := fsxtest.Resident(t, path); kept > 8<<20 {
		t.Errorf("%d bytes of %d stay mapped behind the search for widths", kept, len(data))
	}
	n := 0
	for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 10_000, Once: true}) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.Rows()
	}
	if n != batches*rows {
		t.Errorf("%d rows", n)
	}
	if kept := fsxtest.Resident(t, path); kept > 4<<20 {
		t.Errorf("%d bytes of %d stay mapped behind the scan", kept, len(data))
	}
}
