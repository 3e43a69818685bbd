package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Branches with limits and samples of their own leave the rows of the sequential frame, for any workers and batches.
func TestLimitsHideHowTheyRan(t *testing.T) {
	dir, from := t.TempDir(), newInputs(t)
	rapid.Check(t, func(rt *rapid.T) {
		all, in := from.draw(t, rt)
		limit := rapid.SampledFrom([]int64{0, 1, 700, 4096, 100_000}).Draw(rt, "limit")
		frames := []*frame.Frame{
			frame.New().Limit(limit).Then(steps()).Sample(0.3, 5),
			frame.New().Sample(0.7, 1).Then(steps()).Limit(limit),
			frame.New().Select("id", "k").Limit(limit),
		}
		if rapid.Bool().Draw(rt, "one without a limit") {
			frames = append(frames, frame.New().Select("k"))
		}
		o := &runtime.Options{
			Workers: rapid.SampledFrom([]int{1, 2, 7}).Draw(rt, "workers"), BatchRows: rapid.SampledFrom([]int{0, 17, 4096}).Draw(rt, "batch"),
			Budget: 256 * colstore.MiB,
		}
		p := &pipeline.Pipeline{Input: pipeline.Input{Paths: in}}
		extension := rapid.SampledFrom([]string{"cstore", "parquet"}).Draw(rt, "format")
		for i, f := range frames {
			p.Branches = append(p.Branches, pipeline.Branch{Frame: f, Output: pipeline.Output{
				Path: filepath.Join(dir, fmt.Sprintf("got%d.%s", i, extension)), Mode: pipeline.Replace,
			}})
		}
		if _, err := runtime.Run(t.Context(), p, o); err != nil {
			rt.Fatal(err)
		}
		for i, f := range frames {
			f = f.Over(source.Memory(all))
			want, err := f.Collect(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			sameRows(t, rt, want, p.Branches[i].Output.Path)
			flow, err := f.Report(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			got, err := runtime.Cutflow(t.Context(), f, o)
			if err != nil || got.CSV() != flow.CSV() {
				rt.Fatalf("cutflow (%v)\n%s\nwant\n%s", err, got.CSV(), flow.CSV())
			}
			n := int64(0)
			for b, err := range runtime.Batches(t.Context(), f, o) {
				if err != nil {
					rt.Fatal(err)
				}
				n += int64(b.Rows())
			}
			if n != int64(want.Rows()) {
				rt.Fatalf("frame %d has %d rows, want %d", i, n, want.Rows())
			}
		}
	})
}

// sameRows checks that a file has the rows of a batch.
func sameRows(t *testing.T, rt *rapid.T, want *colstore.Batch, path string) {
	src, err := source.OpenPath(t.Context(), path)
	if err != nil {
		rt.Fatal(err)
	}
	defer src.Close()
	got, err := frame.From(src).Collect(t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	if !got.Schema().Equal(want.Schema()) || got.Rows() != want.Rows() {
		rt.Fatalf("%s has %d rows of %s, want %d of %s", path, got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i, f := range want.Schema().All() {
		a, _ := want.At(i).Copy().Bytes()
		b, _ := got.At(i).Copy().Bytes()
		if !bytes.Equal(a, b) {
			rt.Fatalf("%s: column %s differs", path, f.Name)
		}
	}
}

// inputs stores tables of several sizes as files and records of several sizes, each once.
type inputs struct {
	dir   string
	made  map[string][]string
	table map[int]*colstore.Batch
}

func newInputs(t *testing.T) *inputs {
	return &inputs{t.TempDir(), map[string][]string{}, map[int]*colstore.Batch{}}
}

// draw returns a table and its files.
func (i *inputs) draw(t *testing.T, rt *rapid.T) (*colstore.Batch, []string) {
	rows := rapid.SampledFrom([]int{0, 1, 5000, 20_000}).Draw(rt, "rows")
	file, record := rapid.SampledFrom([]int{1 << 30, 3000}).Draw(rt, "file"), rapid.SampledFrom([]int{1 << 30, 500}).Draw(rt, "record")
	if i.table[rows] == nil {
		i.table[rows] = table(t, rows, uint64(rows))
	}
	key := fmt.Sprint(rows, "_", file, "_", record)
	if i.made[key] == nil {
		dir := filepath.Join(i.dir, key)
		if err := os.Mkdir(dir, 0o777); err != nil {
			rt.Fatal(err)
		}
		i.made[key] = store(t, dir, i.table[rows], file, record)
	}
	return i.table[rows], i.made[key]
}

// Statistics that leave out records change nothing of a branch whose limit ends before that of another, or of an N−1 table.
func TestLimitsAndStatistics(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 20_000, 2)
	path := filepath.Join(dir, "in.cstore")
	w, err := cstore.Create(path, all.Schema(), &cstore.WriteOptions{Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < all.Rows(); at += 1000 {
		if err := w.Write(t.Context(), all.Slice(at, at+1000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	shared := frame.New().Where(frame.MustParse("id < 300 or id > 17500")).Where(frame.MustParse("k > 0"))
	for _, limit := range []int64{0, 20, 400} {
		p := &pipeline.Pipeline{Input: pipeline.Input{Paths: []string{path}}, Frame: shared}
		for i, f := range []*frame.Frame{frame.New().Limit(limit), frame.New().Where(frame.MustParse("id > 18000"))} {
			p.Branches = append(p.Branches, pipeline.Branch{Frame: f, Output: pipeline.Output{
				Path: filepath.Join(dir, fmt.Sprint(i, ".cstore")), Mode: pipeline.Replace,
			}})
		}
		report, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		src := source.Memory(all)
		want, err := shared.Limit(limit).Over(src).Report(t.Context())
		if err != nil || report.Cutflow.CSV() != want.CSV() {
			t.Errorf("limit %d: %v\n%s\nwant\n%s", limit, err, report.Cutflow.CSV(), want.CSV())
		}
		stored, err := source.OpenPath(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		f := shared.Limit(limit).NMinusOne()
		plain, err := f.Over(src).Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		flow, err := runtime.Cutflow(t.Context(), f.Over(stored), nil)
		if err != nil || flow.NMinusOne.CSV() != plain.NMinusOne.CSV() || flow.CSV() != plain.CSV() {
			t.Errorf("limit %d: %v\n%s\nwant\n%s", limit, err, flow.NMinusOne.CSV(), plain.NMinusOne.CSV())
		}
		if err := stored.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
