package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// What the workloads of writing and opening are made of, at the default rows.
const (
	partFiles    = 8      // that are concatenated
	smallRecords = 10_000 // that are streamed, and files of the folder of shards
	smallRows    = 100    // of each
	openTimes    = 50     // that a file is opened in one process
	appended     = 64     // files that are appended to a folder
)

// few returns how many small things there are at the rows of this run, which is fewer in a try.
func (b *bench) few() int { return max(1, min(smallRecords, b.numberRows()/smallRows)) }

// made returns the path of an input that peers/writing.py makes, written if it is not there.
func (b *bench) made(ctx context.Context, task, name string, args ...string) (string, error) {
	path := filepath.Join(b.dir, name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	b.tell("writing %s", path)
	partial := filepath.Join(b.dir, "partial-"+name)
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if _, err := execute(ctx, b.script("writing.py", append([]string{task, partial}, args...)...)); err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}

// durable returns a task of two engines, this program and the Python package, that do the work of a probe. Seconds are
// those of the operation until its output is on the disk.
func (b *bench) durable(action, path string, args ...string) (task, error) {
	self, err := os.Executable()
	if err != nil {
		return task{}, err
	}
	args = append([]string{path}, args...)
	return task{byInner: true, engines: []engine{
		{name: ours, argv: append([]string{self, "-probe", action}, args...)},
		{name: "python-colstore", argv: b.script("writing.py", append([]string{action}, args...)...), peer: true},
	}}, nil
}

// writing is durable for engines that write a file.
func (b *bench) writing(action, path string, args ...string) (task, error) {
	out := b.output(".cstore")
	t, err := b.durable(action, path, append([]string{out}, args...)...)
	for i := range t.engines {
		t.engines[i].out = out
	}
	return t, err
}

// frameWrite writes a table of four columns with three derived ones.
func (b *bench) frameWrite(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	t, err := b.writing("frame", path)
	t.bytes, t.rows = int64(b.numberRows())*7*8, int64(b.numberRows())
	return t, err
}

// compact makes one record of 64.
func (b *bench) compact(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "wide-64", ".cstore")
	if err != nil {
		return task{}, err
	}
	t, err := b.writing("compact", path)
	t.bytes, t.source = int64(b.numberRows())*int64(len(wideColumns))*8, path
	return t, err
}

// concat makes one file of eight.
func (b *bench) concat(ctx context.Context) (task, error) {
	table, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	parts, err := b.made(ctx, "parts", fmt.Sprintf("parts-%d", b.numberRows()), table, strconv.Itoa(partFiles))
	if err != nil {
		return task{}, err
	}
	t, err := b.writing("concat", parts)
	t.bytes, t.source = int64(b.numberRows())*4*8, table
	return t, err
}

// smallWrites streams small records, one a write.
func (b *bench) smallWrites(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	t, err := b.writing("small", path, strconv.Itoa(b.few()))
	t.bytes, t.rows = int64(b.few()*smallRows)*4*8, int64(b.few()*smallRows)
	return t, err
}

// opening opens a file of 1,024 records again and again.
func (b *bench) opening(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "wide-1024", ".cstore")
	if err != nil {
		return task{}, err
	}
	t, err := b.durable("open", path, strconv.Itoa(openTimes))
	t.answers = true
	return t, err
}

// openingShards opens a folder of many files as one table.
func (b *bench) openingShards(ctx context.Context) (task, error) {
	table, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	folder, err := b.made(ctx, "shards", fmt.Sprintf("shards-%d", b.few()), table, strconv.Itoa(b.few()))
	if err != nil {
		return task{}, err
	}
	t, err := b.durable("open-shards", folder, "1")
	t.answers = true
	return t, err
}

// appending adds files to a folder, each of them on the disk before the next.
func (b *bench) appending(ctx context.Context) (task, error) {
	table, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	rows := max(appended, b.numberRows()/10)
	folder := b.output(".shards")
	t, err := b.durable("append", table, folder, strconv.Itoa(rows))
	for i := range t.engines {
		t.engines[i].folder = folder
	}
	t.answers = true
	t.bytes = int64(rows) * 4 * 8
	return t, err
}

// timed returns the account of work that tells the rows it has written.
func timed(work func() (rows int64, err error)) (account, error) {
	start := time.Now()
	rows, err := work()
	return account{Rows: rows, Inner: time.Since(start).Seconds()}, err
}

func probeFrame(ctx context.Context, args []string) (account, error) {
	return timed(func() (rows int64, err error) {
		src, err := source.OpenPath(ctx, args[0])
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, src.Close()) }()
		f := frame.From(src)
		for _, derived := range [][2]string{{"x", "a*2+b/c"}, {"y", "sqrt(b*b+c*c)"}, {"z", "(a-b)*d"}} {
			e, err := frame.Parse(derived[1], nil)
			if err != nil {
				return 0, err
			}
			f = f.Assign(derived[0], e)
		}
		report, err := runtime.WriteFile(ctx, f, args[1])
		if err != nil {
			return 0, err
		}
		return report.Rows, nil
	})
}

func probeCompact(ctx context.Context, args []string) (account, error) {
	return timed(func() (int64, error) {
		done, err := cstore.Compact(ctx, args[0], &cstore.CompactOptions{Out: args[1], Threads: goruntime.GOMAXPROCS(0)})
		if err != nil {
			return 0, err
		}
		return done.Rows, nil
	})
}

func probeConcat(ctx context.Context, args []string) (account, error) {
	return timed(func() (rows int64, err error) {
		var readers []*cstore.Reader
		defer func() {
			for _, r := range readers {
				err = errors.Join(err, r.Close())
			}
		}()
		for i := range partFiles {
			r, err := cstore.Open(filepath.Join(args[0], fmt.Sprintf("part_%d.cstore", i)), nil)
			if err != nil {
				return 0, err
			}
			readers = append(readers, r)
		}
		done, err := cstore.Concat(ctx, args[1], readers, &cstore.ConcatOptions{Threads: goruntime.GOMAXPROCS(0)})
		if err != nil {
			return 0, err
		}
		return done.Rows, nil
	})
}

func probeSmall(ctx context.Context, args []string) (account, error) {
	records, err := strconv.Atoi(args[2])
	if err != nil {
		return account{}, err
	}
	table, err := collect(ctx, args[0], records*smallRows)
	if err != nil {
		return account{}, err
	}
	defer table.Release()
	return timed(func() (rows int64, err error) {
		w, err := cstore.Create(args[1], table.Schema(), nil)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, w.Abort()) }()
		for at := 0; at < table.Rows(); at += smallRows {
			if err := w.Write(ctx, table.Slice(at, at+smallRows)); err != nil {
				return 0, err
			}
		}
		return int64(table.Rows()), w.Commit(ctx)
	})
}

func probeAppend(ctx context.Context, args []string) (account, error) {
	rows, err := strconv.Atoi(args[2])
	if err != nil {
		return account{}, err
	}
	table, err := collect(ctx, args[0], rows)
	if err != nil {
		return account{}, err
	}
	defer table.Release()
	a, err := timed(func() (rows int64, err error) {
		w, err := cstore.NewAppender(args[1], table.Schema(), nil)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, w.Abort()) }()
		for i := range appended {
			if err := w.Write(ctx, table.Slice(table.Rows()*i/appended, table.Rows()*(i+1)/appended)); err != nil {
				return 0, err
			}
			if err := w.Flush(ctx); err != nil {
				return 0, err
			}
		}
		return int64(table.Rows()), w.Commit(ctx)
	})
	a.Exact = []float64{float64(a.Rows)}
	return a, err
}

// collect reads the first rows of a file into memory.
func collect(ctx context.Context, path string, rows int) (*colstore.Batch, error) {
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		return nil, err
	}
	table, err := source.ViewOf(src).Pick(source.Slice(0, int64(rows))).Collect(ctx)
	return table, errors.Join(err, src.Close())
}

func probeOpen(_ context.Context, args []string) (account, error) {
	return opened(args, func() (colstore.Source, error) { return cstore.Open(args[0], nil) })
}

func probeOpenShards(ctx context.Context, args []string) (account, error) {
	return opened(args, func() (colstore.Source, error) { return source.OpenPath(ctx, args[0]) })
}

// opened opens a table as often as the second argument says. The answer is its rows; inner seconds are those of one time.
func opened(args []string, open func() (colstore.Source, error)) (account, error) {
	times, err := strconv.Atoi(args[1])
	if err != nil {
		return account{}, err
	}
	rows := int64(0)
	a, err := timed(func() (int64, error) {
		for range times {
			src, err := open()
			if err != nil {
				return 0, err
			}
			rows = src.Rows()
			if err := src.Close(); err != nil {
				return 0, err
			}
		}
		return rows, nil
	})
	a.Exact = []float64{float64(rows)}
	a.Inner /= float64(max(1, times))
	return a, err
}
