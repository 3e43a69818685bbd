package cstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// A folder of shards grows: batches become shards of a size, which all appear in Commit.
func ExampleAppender() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	schema := colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64})
	write := func() (err error) {
		a, err := cstore.NewAppender(filepath.Join(dir, "muons"), schema, &cstore.AppendOptions{ShardRows: 3, Split: true})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Abort()) }() // does nothing after Commit
		for _, pt := range [][]float64{{31.5, 8.25}, {12, 44.5, 9}, {27.25, 18}} {
			b, err := colstore.NewBatch(schema, colstore.Wrap(pt))
			if err != nil {
				return err
			}
			if err := a.Write(ctx, b); err != nil {
				return err
			}
		}
		return a.Commit(ctx)
	}
	for range 2 {
		if err := write(); err != nil {
			fmt.Println(err)
			return
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "muons"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range entries {
		if info, err := cstore.Stat(filepath.Join(dir, "muons", e.Name())); err == nil {
			fmt.Println(e.Name(), info.Rows)
		}
	}
	// Output:
	// shard_00000.cstore 3
	// shard_00001.cstore 3
	// shard_00002.cstore 1
	// shard_00003.cstore 3
	// shard_00004.cstore 3
	// shard_00005.cstore 1
}

// A file is held against what it says of itself.
func ExampleVerify() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.cstore")
	ctx := context.Background()
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}), colstore.Wrap([]float64{31.5, 8.25}))
	if err == nil {
		err = cstore.Store(ctx, path, b, &cstore.WriteOptions{Stats: true})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := cstore.Verify(ctx, path, nil)
	if err != nil {
		fmt.Println("it does not open:", err)
		return
	}
	fmt.Println(v.Rows, "rows,", v.Records, "record, statistics:", v.Statistics)
	for _, f := range v.Findings {
		fmt.Println(f)
	}
	// Output: 2 rows, 1 record, statistics: true
}

// A file of one record in one call, and a second record appended to it.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.cstore")
	ctx := context.Background()
	b, err := colstore.BatchOf(
		colstore.Name("pt", colstore.Wrap([]float64{31.5, 8.25})),
		colstore.Name("region", colstore.TextColumn([]string{"SR", "CR"})),
	)
	if err == nil {
		err = cstore.Store(ctx, path, b, nil)
	}
	if err == nil {
		err = cstore.Store(ctx, path, b, &cstore.WriteOptions{Mode: cstore.ModeUpdate})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := cstore.Stat(path)
	fmt.Println(info.Rows, "rows,", info.Records, "records", err)
	// Output: 4 rows, 2 records <nil>
}

// Records are appended to a file. Until Commit it has the rows that it had.
func ExampleUpdate() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.cstore")
	if err := grow(context.Background(), path); err != nil {
		fmt.Println(err)
		return
	}
	info, err := cstore.Stat(path)
	fmt.Println(info.Rows, "rows,", info.Records, "records", err)
	// Output:
	// 2 rows before the commit
	// 6 rows, 3 records <nil>
}

func grow(ctx context.Context, path string) (err error) {
	b, err := colstore.BatchOf(colstore.Name("pt", colstore.Wrap([]float64{31.5, 8.25})))
	if err != nil {
		return err
	}
	if err := cstore.Store(ctx, path, b, nil); err != nil {
		return err
	}
	w, err := cstore.Update(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }() // does nothing after Commit
	for range 2 {
		if err := w.Write(ctx, b); err != nil {
			return err
		}
	}
	info, err := cstore.Stat(path)
	if err != nil {
		return err
	}
	fmt.Println(info.Rows, "rows before the commit")
	return w.Commit(ctx)
}
