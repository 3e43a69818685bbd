package runtime_test

import (
	"context"
	"errors"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// outputs are the runs of pipelines whose outputs must be whole whatever happens.
func outputs(t *testing.T) []fsxtest.Scenario {
	many := store(t, t.TempDir(), table(t, 700, 9), 1<<30, 200)
	few := store(t, t.TempDir(), table(t, 90, 4), 1<<30, 1000)
	run := func(in []string, f *frame.Frame, mode pipeline.Mode, names ...string) fsxtest.Step {
		return func(ctx context.Context, dir string) error {
			p := &pipeline.Pipeline{Input: pipeline.Input{Paths: in}}
			for _, n := range names {
				b := pipeline.Branch{Frame: f, Output: pipeline.Output{Path: filepath.Join(dir, n), Mode: pipeline.Replace}}
				if filepath.Ext(n) == ".cstore" {
					b.Output.Mode = mode
				}
				p.Branches = append(p.Branches, b)
			}
			_, err := runtime.Run(ctx, p, &runtime.Options{Workers: 2, BatchRows: 128})
			return err
		}
	}
	cut := frame.New().Where(frame.MustParse("k > 0"))
	rows := func(path string, data []byte) (int64, error) { return rowsOf(t, path, data) }
	return []fsxtest.Scenario{
		{
			Name: "several outputs", Setup: []fsxtest.Step{run(few, nil, pipeline.Replace, "a.cstore", "b.csv", "c.parquet", "d.feather")},
			Steps: []fsxtest.Step{run(many, cut, pipeline.Replace, "a.cstore", "b.csv", "c.parquet", "d.feather")},
		},
		{
			Name: "converted over", Setup: []fsxtest.Step{run(few, nil, pipeline.Replace, "a.cstore")},
			Steps: []fsxtest.Step{run(many, nil, pipeline.Replace, "a.cstore")},
		},
		{
			Name: "appended to, and a new file", Setup: []fsxtest.Step{run(few, nil, pipeline.Replace, "a.cstore")}, ReadsFiles: true, Identify: rows,
			Steps: []fsxtest.Step{run(many, nil, pipeline.Append, "a.cstore", "b.csv"), run(few, cut, pipeline.Append, "a.cstore")},
			Next:  run(few, nil, pipeline.Replace, "a.cstore", "b.csv"),
		},
	}
}

var contentSeed = maphash.MakeSeed()

// rowsOf tells the rows of a .cstore file apart, and other files by their bytes.
func rowsOf(t *testing.T, path string, data []byte) (int64, error) {
	var h maphash.Hash
	h.SetSeed(contentSeed)
	if !strings.HasSuffix(path, ".cstore") {
		_, _ = h.Write(data)
		return int64(h.Sum64() >> 1), nil
	}
	f, err := os.CreateTemp(t.TempDir(), "*.cstore")
	if err != nil {
		return 0, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	r, err := cstore.Open(f.Name(), nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for b, err := range r.Scan(t.Context(), colstore.Scan{}) {
		if err != nil {
			return 0, err
		}
		for i := range b.Schema().Len() {
			raw, _ := b.At(i).Bytes()
			_, _ = h.Write(raw)
		}
	}
	return int64(h.Sum64() >> 1), nil
}

// Whatever call fails, each output is as it was or as it is to be.
func TestEveryCall(t *testing.T) {
	for _, s := range outputs(t) {
		s.EveryCall(t)
	}
}

// Whatever a crash leaves, each output is as it was or as it is to be.
func TestCrash(t *testing.T) {
	for _, s := range outputs(t) {
		t.Logf("%s: %+v", s.Name, s.Crash(t, fsxtest.Exploring{Random: 20, Seed: 1, Workers: 2, Next: 997}))
	}
}
