package cstore

import (
	"bytes"

	"github.com/colstore/colstore-go"
)

// A Content is a file in memory, read by the checks of Open.
type Content struct {
	Schema  *colstore.Schema
	Rows    int64
	Records []colstore.Range // bytes of each record's body, without padding
	stats   *stats
}

// ReadContent reads a file that lies in memory.
func ReadContent(data []byte) (*Content, error) {
	r := bytes.NewReader(data)
	h, err := readHeader(r, int64(len(data)))
	if err != nil {
		return nil, err
	}
	records, end, err := readRecords(r, h)
	if err != nil {
		return nil, err
	}
	c := &Content{Schema: h.schema, Rows: h.rows, stats: readStats(r, h, end)}
	for _, rec := range records {
		c.Records = append(c.Records, colstore.Range{Begin: rec.body, End: rec.body + rec.rows*int64(h.schema.RowBytes())})
	}
	return c, nil
}

// HasStatistics reports whether the file has a footer that readers believe.
func (c *Content) HasStatistics() bool { return c.stats != nil }

// Bounds is Reader.Bounds.
func (c *Content) Bounds(column, record int) (lo, hi colstore.Column, ok bool) {
	return c.stats.bounds(column, record)
}
