package frame_test

import (
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// A table of many rows is laid out in one look at every cell: at one look a cell and row, this would take hours.
func TestPreviewOfManyRows(t *testing.T) {
	const rows = 200_000
	values, numbers := make([]int64, rows), make([]int64, rows)
	for i := range values {
		values[i], numbers[i] = int64(i*7), int64(i)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "v", Type: colstore.Int64}), colstore.Wrap(values))
	if err != nil {
		t.Fatal(err)
	}
	text := frame.NewPreview("t", b, numbers, frame.PreviewOptions{}).Text(80)
	if !strings.Contains(text, "\n199999  1399993\n") || strings.Count(text, "\n") != rows+1 {
		t.Error("wrong table")
	}
}
