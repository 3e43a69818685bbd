package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"time"

	"github.com/colstore/colstore-go/source"
)

// gather returns the workload that reads a hundredth of the rows of a table, in no order, into memory. Starts would be most
// of it, so engines tell the seconds of the gather itself. Ours is this program again, as a process of its own: no command
// keeps rows in memory.
func (b *bench) gather(kind string, peers ...string) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		rows, err := b.source(ctx, "index", ".rows")
		if err != nil {
			return task{}, err
		}
		self, err := os.Executable()
		if err != nil {
			return task{}, err
		}
		t, err := b.answering(ctx, func(path string) engine {
			return engine{name: ours, argv: []string{self, "-probe", "gather", path, rows}}
		}, "gather", kind, peers, rows)
		t.bytes, t.byInner = int64(max(1, b.numberRows()/100))*int64(len(wideColumns))*8, true
		return t, err
	}
}

// probeGather reads the rows with the numbers in a file of int64 into memory.
func probeGather(ctx context.Context, args []string) (_ account, err error) {
	path, index := args[0], args[1]
	data, err := os.ReadFile(index)
	if err != nil {
		return account{}, err
	}
	rows := make([]int64, len(data)/8)
	if _, err := binary.Decode(data, binary.LittleEndian, rows); err != nil {
		return account{}, fmt.Errorf("reading %s: %w", index, err)
	}
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		return account{}, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	start := time.Now()
	got, err := source.ViewOf(src).Pick(source.Rows(rows...)).Collect(ctx)
	inner := time.Since(start)
	if err != nil {
		return account{}, err
	}
	defer got.Release()
	a := account{Inner: inner.Seconds()}
	for i := range got.Schema().Len() {
		values, ok := got.At(i).Bytes()
		if !ok {
			return account{}, fmt.Errorf("column %q is not dense", got.Schema().Field(i).Name)
		}
		a.Exact = append(a.Exact, float64(crc32.ChecksumIEEE(values)))
	}
	return a, nil
}
