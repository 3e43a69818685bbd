package runtime_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// shards returns the files of a folder that readers see, by name.
func shards(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("left behind: %s", e.Name())
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(raw)
	}
	return out
}

// The same rows are the same shards, whatever the batches, the workers and the files that they are read from.
func TestShardsDoNotDependOnBatches(t *testing.T) {
	root := t.TempDir()
	all := table(t, 9000, 3)
	f := frame.New().Where(frame.Col("k").Ge(0)).Assign("twice", frame.Col("x").Mul(2))
	var want map[string]string
	for i, c := range []struct{ workers, batch, file, record int }{
		{1, 0, 9001, 9001}, {1, 100, 9001, 500}, {2, 777, 1000, 1000}, {7, 64, 2500, 300}, {3, 1, 9001, 9001},
	} {
		in := store(t, root, all, c.file, c.record)
		dir := filepath.Join(root, "out", string(rune('a'+i)))
		p := onePipeline(in, dir, f)
		p.Branches[0].Output = pipeline.Output{
			Path: dir, Mkdirs: true, Options: map[string]any{"statistics": true}, Shards: &pipeline.Shards{Rows: 1300, Name: "p{index}.cstore"},
		}
		r, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: c.workers, BatchRows: c.batch})
		if err != nil {
			t.Fatal(err)
		}
		got := shards(t, dir)
		bytes := int64(0)
		for _, s := range got {
			bytes += int64(len(s))
		}
		if o := r.Outputs[0]; len(o.Shards) != len(got) || o.Bytes != bytes || len(got) < 3 || o.Shards[1] != filepath.Join(dir, "p1.cstore") {
			t.Errorf("%+v for %d shards", o, len(got))
		}
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%+v: %.300s", c, d)
		}
	}
}

// A run that fails, at its end too, publishes no shard, and what was there stays.
func TestFailingRunPublishesNoShard(t *testing.T) {
	root := t.TempDir()
	in := store(t, root, table(t, 5000, 3), 5000, 500)
	dir := filepath.Join(root, "out")
	p := onePipeline(in, dir, nil)
	p.Branches[0].Output = pipeline.Output{Path: dir, Mode: pipeline.Append, Shards: &pipeline.Shards{Rows: 700}}
	if _, err := runtime.Run(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	before := shards(t, dir)
	if len(before) != 8 {
		t.Fatalf("%d shards", len(before))
	}
	// The second output cannot be published: something appears in its place.
	other := filepath.Join(root, "other.csv")
	q := *p
	q.Branches = append(q.Branches, pipeline.Branch{Output: pipeline.Output{Path: other}})
	l, err := runtime.Prepare(t.Context(), &q, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context()); !errors.Is(err, colstore.ErrExists) {
		t.Errorf("%v", err)
	}
	if d := cmp.Diff(before, shards(t, dir)); d != "" {
		t.Errorf("%.300s", d)
	}
	for name, change := range map[string]func(*pipeline.Pipeline){
		"a folder that is not empty": func(p *pipeline.Pipeline) { p.Branches[0].Output.Mode = pipeline.Create },
		"other columns":              func(p *pipeline.Pipeline) { p.Frame = frame.New().Select("x") },
		"its own shards":             func(p *pipeline.Pipeline) { p.Input.Paths = []string{dir} },
		"one of its own shards": func(p *pipeline.Pipeline) {
			p.Input.Paths = append(p.Input.Paths, filepath.Join(dir, "shard_00003.cstore"))
		},
		"another format":      func(p *pipeline.Pipeline) { p.Branches[0].Output.Format = "csv" },
		"another layout":      func(p *pipeline.Pipeline) { p.Branches[0].Output.Options = map[string]any{"compact": false} },
		"an unknown option":   func(p *pipeline.Pipeline) { p.Branches[0].Output.Options = map[string]any{"level": 3} },
		"replacing":           func(p *pipeline.Pipeline) { p.Branches[0].Output.Mode = pipeline.Replace },
		"appending to a file": func(p *pipeline.Pipeline) { p.Branches[0].Output.Shards = nil },
		"a bad name":          func(p *pipeline.Pipeline) { p.Branches[0].Output.Shards = &pipeline.Shards{Name: "x"} },
		"two sizes":           func(p *pipeline.Pipeline) { p.Branches[0].Output.Shards = &pipeline.Shards{Rows: 1, Size: 1} },
	} {
		q := *p
		q.Branches = []pipeline.Branch{p.Branches[0]}
		q.Input.Paths = append([]string{}, p.Input.Paths...)
		change(&q)
		// Preparing finds it, so that a dry run does.
		l, err := runtime.Prepare(t.Context(), &q, nil)
		if err == nil {
			t.Errorf("%s is prepared", name)
			l.Close()
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error does not name the folder: %v", name, err)
		}
		if d := cmp.Diff(before, shards(t, dir)); d != "" {
			t.Errorf("%s: %.300s", name, d)
		}
	}
}
