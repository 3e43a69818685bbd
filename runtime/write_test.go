package runtime_test

import (
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

// A frame over any source is written as its rows are, also in place of the file that it reads.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 20_000, 3)
	f := frame.From(source.Memory(all)).Then(steps()).Limit(3000)
	want, err := f.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reference, path := filepath.Join(dir, "want.cstore"), filepath.Join(dir, "got.cstore")
	if err := cstore.Store(t.Context(), reference, want, nil); err != nil {
		t.Fatal(err)
	}
	for _, o := range []*runtime.Options{nil, {Workers: 3, BatchRows: 700}, {Workers: 1, Budget: colstore.MiB}} {
		report, err := runtime.Write(t.Context(), f, pipeline.Output{Path: path, Mode: pipeline.Replace}, o)
		if err != nil {
			t.Fatal(err)
		}
		sameFile(t, reference, path)
		if report.Outputs[0].Rows != 3000 || len(report.Cutflow.Cuts) != 3 {
			t.Errorf("%+v", report)
		}
	}
	src, err := source.OpenPath(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if report, err := runtime.WriteFile(t.Context(), frame.From(src).Where(frame.MustParse("k > 0")), path); err != nil || report.Outputs[0].Rows == 3000 {
		t.Errorf("%+v %v", report, err)
	}
	if _, err := runtime.Write(t.Context(), f, pipeline.Output{Path: path}, nil); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	for _, bad := range []*frame.Frame{frame.New(), f.Select(), f.Drop("q")} {
		if _, err := runtime.WriteFile(t.Context(), bad, filepath.Join(dir, "no.cstore")); err == nil {
			t.Error("no error")
		}
	}
	nothingBeside(t, dir, 2)
}
