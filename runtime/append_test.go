package runtime_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Rows are appended as a record to a .cstore file, the same bytes for any workers and batches; also to the file that is
// read. Without a file one is made.
func TestAppend(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 20_000, 3)
	f := frame.From(source.Memory(all)).Then(steps()).Limit(3000)
	rows, err := f.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "want.cstore")
	for _, mode := range []cstore.Mode{cstore.ModeCreate, cstore.ModeUpdate, cstore.ModeUpdate} {
		w, err := cstore.Create(want, rows.Schema(), &cstore.WriteOptions{Mode: mode, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(t.Context(), rows), w.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []*runtime.Options{nil, {Workers: 3, BatchRows: 700}, {Workers: 1, Budget: colstore.MiB}} {
		path := filepath.Join(t.TempDir(), "got.cstore")
		out := pipeline.Output{Path: path, Mode: pipeline.Append, Options: map[string]any{"statistics": true}}
		for range 2 {
			report, err := runtime.Write(t.Context(), f, out, o)
			if err != nil || report.Outputs[0].Rows != 3000 {
				t.Fatal(report, err)
			}
		}
		// The first 3000 rows of the file itself.
		src, err := source.OpenPath(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = runtime.Write(t.Context(), frame.From(src).Limit(3000), pipeline.Output{Path: path, Mode: pipeline.Append}, o)
		if err = errors.Join(err, src.Close()); err != nil {
			t.Fatal(err)
		}
		sameFile(t, want, path)
	}
	for name, bad := range map[string]pipeline.Output{
		"other columns":       {Path: want, Mode: pipeline.Append},
		"a format without it": {Path: filepath.Join(dir, "x.csv"), Mode: pipeline.Append},
	} {
		before, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := runtime.Write(t.Context(), frame.From(source.Memory(all)), bad, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after, err := os.ReadFile(want); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file changed, %v", name, err)
		}
	}
	nothingBeside(t, dir, 1)
}

// Bytes that are copied as they lie are appended like rows.
func TestAppendOfCopiedBytes(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 5000, 3)
	in := filepath.Join(dir, "in.cstore")
	if err := cstore.Store(t.Context(), in, all, nil); err != nil {
		t.Fatal(err)
	}
	for _, stats := range []bool{false, true} {
		want, path := filepath.Join(dir, "want.cstore"), filepath.Join(dir, "got.cstore")
		o := &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: stats}
		for _, p := range []string{want, path} {
			if err := cstore.Store(t.Context(), p, all.Slice(0, 77), o); err != nil {
				t.Fatal(err)
			}
		}
		o.Mode = cstore.ModeUpdate
		if err := cstore.Store(t.Context(), want, all, o); err != nil {
			t.Fatal(err)
		}
		_, err := runtime.Run(t.Context(), &pipeline.Pipeline{
			Input:    pipeline.Input{Paths: []string{in}},
			Branches: []pipeline.Branch{{Output: pipeline.Output{Path: path, Mode: pipeline.Append}}},
		}, &runtime.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		sameFile(t, want, path)
		if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 || v.Statistics != stats {
			t.Errorf("%+v, %v", v, err)
		}
	}
}
