//go:build unix

package cstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

// A killedTarget is a file, or a folder, that a process writes to until it is killed.
type killedTarget interface {
	// plan decides what is done to what holds was; a new table begins at next.
	plan(rng *rand.Rand, was extent, next int64) killedJob
	// read returns what the target holds, and an error for anything but consecutive rows.
	read(ctx context.Context, path string) (extent, error)
	// allowed reports whether a write from was to would may have left is, which is not was.
	allowed(is, was, would extent) bool
	// settle is the next writer: it writes nothing, and what was left behind goes.
	settle(ctx context.Context, path string) error
	// leftover reports whether a hidden file, of name in the folder of a path, is one that settle removes.
	leftover(name, path string) bool
}

type killedJob struct {
	kind string
	is   extent
	do   func(ctx context.Context, path string) error
}

var killedTargets = map[string]killedTarget{
	"a.cstore": killedFile{}, "b.cstore": killedFile{},
	"c.cstore": killedOutput{}, "d.parquet": killedOutput{}, "e.csv": killedOutput{}, "f.npz": killedOutput{}, "g.feather": killedOutput{},
	"h.jsonl": killedOutput{}, "i.root": killedOutput{},
	"shards": killedFolder{},
}

// killedNames are the targets, those that are written in most ways more often.
var killedNames = append(slices.Sorted(maps.Keys(killedTargets)), "a.cstore", "a.cstore", "b.cstore", "b.cstore", "shards", "shards", "shards")

var killedSchema = colstore.MustSchema(
	colstore.Field{Name: "n", Type: colstore.Int64}, colstore.Field{Name: "half", Type: colstore.Float64},
	colstore.Field{Name: "last", Type: colstore.Int32})

// sequence returns rows that tell where they belong.
func sequence(first, rows int64) *colstore.Batch {
	n, half, last := make([]int64, rows), make([]float64, rows), make([]int32, rows)
	for i := range rows {
		n[i], half[i], last[i] = first+i, float64(first+i)/2, int32((first+i)%1000)
	}
	b, err := colstore.NewBatch(killedSchema, colstore.Wrap(n), colstore.Wrap(half), colstore.Wrap(last))
	if err != nil {
		panic(err)
	}
	return b
}

// readSequence returns the rows of a source if they are consecutive.
func readSequence(ctx context.Context, src colstore.Source) (extent, error) {
	e := extent{There: true}
	err := fault.Guard(func() error {
		for b, err := range src.Scan(ctx, colstore.Scan{}) {
			if err != nil {
				return err
			}
			if err := e.take(b); err != nil {
				return err
			}
		}
		return nil
	})
	return e, err
}

func (e *extent) take(b *colstore.Batch) error {
	n, err := colstore.Values[int64](b.At(0))
	half, errHalf := colstore.Values[float64](b.At(1))
	last, errLast := colstore.Values[int32](b.At(2))
	if err := errors.Join(err, errHalf, errLast); err != nil {
		return err
	}
	for i := range n {
		if e.Rows == 0 {
			e.First = n[i]
		}
		if v := e.First + e.Rows; n[i] != v || half[i] != float64(v)/2 || last[i] != int32(v%1000) {
			return fmt.Errorf("row %d is %d, %g, %d, not %d", e.Rows, n[i], half[i], last[i], v)
		}
		e.Rows++
	}
	return nil
}

// writeSequence writes rows in so many pieces and commits.
func writeSequence(ctx context.Context, w colstore.Sink, first, rows int64, pieces int64) (err error) {
	defer func() { err = errors.Join(err, w.Abort()) }()
	for k := range pieces {
		from, to := rows*k/pieces, rows*(k+1)/pieces
		if err := w.Write(ctx, sequence(first+from, to-from)); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// killedFile is a .cstore file that is made, replaced, appended to and compacted.
type killedFile struct{ atOnce }

func (killedFile) plan(rng *rand.Rand, was extent, next int64) killedJob {
	rows, pieces := rng.Int64N(2000), 1+rng.Int64N(4)
	o := &cstore.WriteOptions{Layout: cstore.Layout(rng.IntN(3)), Stats: rng.IntN(2) == 0}
	if o.Layout == cstore.LayoutBlocks {
		o.BlockRows = 1 + rng.Int64N(700)
	}
	kind := rng.IntN(5)
	switch {
	case !was.There || kind == 0:
		is := extent{There: true, First: next, Rows: rows}
		if was.There {
			o.Mode = cstore.ModeReplace
		}
		return killedJob{"create", is, func(ctx context.Context, path string) error {
			w, err := cstore.Create(path, killedSchema, o)
			if err != nil {
				return err
			}
			return writeSequence(ctx, w, is.First, is.Rows, pieces)
		}}
	case kind == 1:
		c := &cstore.CompactOptions{Stats: cstore.StatsPolicy(rng.IntN(3))}
		return killedJob{"compact", was, func(ctx context.Context, path string) error {
			_, err := cstore.Compact(ctx, path, c)
			return err
		}}
	default:
		if was.Rows == 0 {
			was.First = next
		}
		is := was
		is.Rows += rows
		return killedJob{"update", is, func(ctx context.Context, path string) error {
			w, err := cstore.Update(path, o)
			if err != nil {
				return err
			}
			return writeSequence(ctx, w, is.First+was.Rows, rows, pieces)
		}}
	}
}

func (killedFile) read(ctx context.Context, path string) (e extent, err error) {
	v, err := cstore.Verify(ctx, path, nil)
	if err != nil {
		return e, err
	}
	if len(v.Findings) > 0 {
		return e, v.Findings[0]
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return readSequence(ctx, r)
}

func (killedFile) settle(_ context.Context, path string) error {
	w, err := cstore.Create(path, killedSchema, &cstore.WriteOptions{Mode: cstore.ModeReplace})
	if err != nil {
		return err
	}
	if err := w.Abort(); err != nil {
		return err
	}
	if w, err = cstore.Update(path, nil); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return w.Commit(context.Background())
}

// killedOutput is a file of any format that is replaced, as by convert --overwrite.
type killedOutput struct{ atOnce }

func (killedOutput) spec(path string) source.Spec {
	types := map[string]colstore.DType{}
	for _, f := range killedSchema.All() {
		types[f.Name] = f.Type
	}
	return source.Spec{Paths: []string{path}, NoGlob: true, DTypes: types}
}

func (killedOutput) plan(rng *rand.Rand, _ extent, next int64) killedJob {
	is, pieces := extent{There: true, First: next, Rows: 1 + rng.Int64N(400)}, 1+rng.Int64N(3)
	return killedJob{"replace", is, func(ctx context.Context, path string) error {
		w, err := sink.Create(ctx, sink.Spec{Path: path, Schema: killedSchema, Replace: true})
		if err != nil {
			return err
		}
		return writeSequence(ctx, w, is.First, is.Rows, pieces)
	}}
}

func (o killedOutput) read(ctx context.Context, path string) (e extent, err error) {
	src, err := source.Open(ctx, o.spec(path))
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return readSequence(ctx, src)
}

func (killedOutput) settle(ctx context.Context, path string) error {
	w, err := sink.Create(ctx, sink.Spec{Path: path, Schema: killedSchema, Replace: true})
	if err != nil {
		return err
	}
	return w.Abort()
}

// killedFolder is a folder that gets shards.
type killedFolder struct{}

func (killedFolder) plan(rng *rand.Rand, was extent, next int64) killedJob {
	if was.Rows == 0 {
		was = extent{There: true, First: next}
	}
	rows, pieces := 1+rng.Int64N(2000), 1+rng.Int64N(5)
	o := &cstore.AppendOptions{ShardRows: rng.Int64N(900), Stats: rng.IntN(2) == 0, Split: rng.IntN(2) == 0, PublishFull: rng.IntN(2) == 0}
	is := was
	is.Rows, is.Parts = was.Rows+rows, slices.Clone(was.Parts)
	part := int64(0)
	for k := range pieces {
		part += rows*(k+1)/pieces - rows*k/pieces
		for o.ShardRows > 0 && part >= o.ShardRows {
			n := part
			if o.Split {
				n = o.ShardRows
			}
			is.Parts, part = append(is.Parts, n), part-n
		}
	}
	if part > 0 {
		is.Parts = append(is.Parts, part)
	}
	return killedJob{"append", is, func(ctx context.Context, path string) error {
		w, err := cstore.NewAppender(path, killedSchema, o)
		if err != nil {
			return err
		}
		return writeSequence(ctx, w, was.First+was.Rows, rows, pieces)
	}}
}

func (killedFolder) read(ctx context.Context, path string) (e extent, err error) {
	shards, err := filepath.Glob(filepath.Join(path, "*.cstore"))
	if err != nil || len(shards) == 0 {
		return extent{}, err
	}
	e.There = true
	for _, shard := range shards {
		v, err := cstore.Verify(ctx, shard, nil)
		if err != nil {
			return e, err
		}
		if len(v.Findings) > 0 {
			return e, v.Findings[0]
		}
		e.Parts = append(e.Parts, v.Rows)
	}
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	all, err := readSequence(ctx, src)
	all.Parts = e.Parts
	return all, err
}

// allowed: shards become visible one after the other.
func (killedFolder) allowed(is, was, would extent) bool {
	n := len(is.Parts)
	return is.First == would.First && n > len(was.Parts) && n <= len(would.Parts) && slices.Equal(is.Parts, would.Parts[:n])
}

func (killedFolder) settle(_ context.Context, path string) error {
	w, err := cstore.NewAppender(path, killedSchema, nil)
	if err != nil {
		return err
	}
	return w.Abort()
}

func (killedFolder) leftover(name, _ string) bool { return strings.Contains(name, ".colstore-") }

// atOnce is a target that holds what a write makes of it, or what it held.
type atOnce struct{}

func (atOnce) allowed(is, _, would extent) bool { return sameExtent(is, would) }

func (atOnce) leftover(name, path string) bool {
	return strings.HasPrefix(name, "."+filepath.Base(path)+".colstore-")
}
