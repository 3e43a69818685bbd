package main

import (
	"context"
	"io"

	"github.com/colstore/colstore-go"
)

// jsonRows is a sink of JSON objects: one a line, or a list of them.
type jsonRows struct {
	w     io.Writer
	list  bool
	names [][]byte
	rows  int
	buf   []byte
}

// Write implements colstore.Sink.
func (j *jsonRows) Write(ctx context.Context, b *colstore.Batch) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for i := range b.Rows() {
		j.buf = j.buf[:0]
		if j.list {
			j.buf = append(j.buf, map[bool]string{true: "[", false: ",\n "}[j.rows == 0]...)
		}
		j.buf = appendObject(j.buf, j.names, b, i)
		if !j.list {
			j.buf = append(j.buf, '\n')
		}
		if _, err := j.w.Write(j.buf); err != nil {
			return err
		}
		j.rows++
	}
	return nil
}

// Commit implements colstore.Sink.
func (j *jsonRows) Commit(context.Context) error {
	end := ""
	if j.list {
		end = map[bool]string{true: "[]\n", false: "]\n"}[j.rows == 0]
	}
	_, err := io.WriteString(j.w, end)
	return err
}

// Abort implements colstore.Sink.
func (*jsonRows) Abort() error { return nil }
