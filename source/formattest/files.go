package formattest

import (
	"context"
	"errors"
	"maps"
	"os"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

func isOption(err error) bool { return errors.Is(err, colstore.ErrOption) }

// creating says how an output is made.
type creating struct {
	options map[string]any // beside the suite's
	fresh   bool           // do not replace
	mkdirs  bool
	lock    colstore.LockPolicy
	threads int
	rows    int  // of one write; 0 is all
	offsets bool // rows are written from the last to the first, if the sink takes them so
	told    func(warnings []string)
}

func (s *suite) createWith(ctx context.Context, path string, schema *colstore.Schema, how creating) (colstore.Sink, error) {
	options := map[string]any{}
	for _, given := range []map[string]any{s.Write, how.options} {
		maps.Copy(options, given)
	}
	return sink.Create(ctx, sink.Spec{
		Path: path, Format: s.Format, Options: options, Schema: schema, Replace: !how.fresh, Mkdirs: how.mkdirs, Threads: how.threads, Lock: how.lock,
	})
}

// write writes b as a file.
func (s *suite) write(ctx context.Context, path string, b *colstore.Batch, how creating) (err error) {
	w, err := s.createWith(ctx, path, b.Schema(), how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if t, ok := w.(colstore.Warner); ok && how.told != nil {
		how.told(t.Warnings())
	}
	rows := how.rows
	if rows == 0 {
		rows = max(1, b.Rows())
	}
	if o, ok := w.(colstore.OffsetSink); ok && how.offsets {
		return writeBackwards(ctx, o, b, rows)
	}
	for at := 0; at < b.Rows(); at += rows {
		if err := w.Write(ctx, b.Slice(at, min(at+rows, b.Rows()))); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

func writeBackwards(ctx context.Context, w colstore.OffsetSink, b *colstore.Batch, rows int) error {
	if err := w.Reserve(int64(b.Rows())); err != nil {
		return err
	}
	for end := b.Rows(); end > 0; end -= rows {
		begin := max(0, end-rows)
		if err := w.WriteAt(ctx, int64(begin), b.Slice(begin, end)); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// written returns the path of a new file of the rows of b.
func (s *suite) written(t *testing.T, b *colstore.Batch) string {
	t.Helper()
	path := s.path(t, "f")
	if err := s.write(t.Context(), path, b, creating{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// bytesOf returns what is in the file that writing b makes.
func (s *suite) bytesOf(t *testing.T, b *colstore.Batch, how creating) string {
	t.Helper()
	path := s.path(t, "f")
	if err := s.write(t.Context(), path, b, how); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// openWith opens a file with options.
func (s *suite) openWith(t *testing.T, path string, options map[string]any) (colstore.Source, error) {
	return source.Open(t.Context(), source.Spec{Paths: []string{path}, NoGlob: true, Format: s.Format, Options: options})
}

// spec returns what to open: the file at path, whose columns have the dtypes of schema if that is told.
func (s *suite) spec(path string, schema *colstore.Schema) source.Spec {
	spec := source.Spec{Paths: []string{path}, NoGlob: true, Format: s.Format, Options: s.Read}
	if s.Untyped && schema != nil {
		spec.DTypes = map[string]colstore.DType{}
		for _, f := range schema.All() {
			spec.DTypes[f.Name] = f.Type.Native()
		}
	}
	return spec
}

// open opens a file of the rows of a schema, until the test ends.
func (s *suite) open(t *testing.T, path string, schema *colstore.Schema) colstore.Source {
	t.Helper()
	src, err := source.Open(t.Context(), s.spec(path, schema))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return src
}

// readAll returns the rows that a scan yields as one batch.
func readAll(ctx context.Context, src colstore.Source, q colstore.Scan) (*colstore.Batch, error) {
	schema := src.Schema()
	if q.Columns != nil {
		var err error
		if schema, err = schema.Select(q.Columns...); err != nil {
			return nil, err
		}
	}
	var parts []*colstore.Batch
	for b, err := range src.Scan(ctx, q) {
		if err != nil {
			return nil, err
		}
		parts = append(parts, b.Detach())
	}
	fields := make([]colstore.Field, schema.Len())
	for i, f := range schema.All() {
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	return colstore.Stack(colstore.MustSchema(fields...), parts...)
}

// readSpec returns the rows of a spec as one batch.
func readSpec(ctx context.Context, spec source.Spec) (_ *colstore.Batch, err error) {
	src, err := source.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return readAll(ctx, src, colstore.Scan{})
}

// sample returns a file to read, and what is in it.
func (s *suite) sample(t *testing.T, rows int) (path string, want *colstore.Batch) {
	t.Helper()
	if s.f.Write != nil {
		want = s.table(11, rows, len(s.DTypes))
		return s.written(t, want), want
	}
	src := s.open(t, s.Sample, nil)
	want, err := readAll(t.Context(), src, colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Sample, want
}
