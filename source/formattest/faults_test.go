package formattest_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
	"github.com/colstore/colstore-go/source/formattest"
)

// withFault names the fault of the format that TestFaulty tests; without one it tests none.
const withFault = "COLSTORE_TEST_FAULT"

// faults are mistakes that formats make, and the part of the suite that is there to find each.
var faults = map[string]string{
	"a row is lost":               "round_trip",
	"batches are too large":       "batches",
	"splits overlap":              "splits",
	"columns come in file order":  "projection",
	"the context is not heard":    "early_end",
	"batches are kept":            "allocator",
	"a scan holds memory":         "cost_of_a_source",
	"a source cannot be shared":   "concurrent_scans",
	"a short file will do":        "truncation",
	"a sink holds memory":         "cost_of_a_sink",
	"writes show in the file":     "same_bytes",
	"the file is there too early": "existing_files",
	"a file is left behind":       "abort",
	"failed calls are not told":   "failing_calls",
	"closed sinks take rows":      "misuse_of_a_sink",
	"nothing is told of locks":    "locks",
	"an option is wrong":          "description",
}

// The suite finds what it is there to find: each fault fails its test, in a process of its own.
func TestSuiteFindsFaults(t *testing.T) {
	for fault, part := range faults {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFaulty$/^"+part+"$")
		cmd.Env = append(os.Environ(), withFault+"="+fault)
		out, err := cmd.CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("--- FAIL: TestFaulty/"+part)) {
			t.Errorf("%s: %s finds nothing (%v)\n%s", fault, part, err, out)
		}
	}
}

// TestFaulty is what TestSuiteFindsFaults runs.
func TestFaulty(t *testing.T) {
	fault := os.Getenv(withFault)
	if fault == "" {
		return
	}
	f := rowsFormat
	read, write := *f.Read, *f.Write
	read.Open = func(ctx context.Context, r *format.OpenRequest) (format.File, error) {
		if fault == "a short file will do" {
			if err := complete(r.Path); err != nil {
				return nil, err
			}
		}
		file, err := openRows(ctx, r)
		if err != nil {
			return nil, err
		}
		return faultyFile{file, fault}, nil
	}
	write.Create = func(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
		switch fault {
		case "the file is there too early":
			if err := os.WriteFile(r.Path, nil, 0o666); err != nil {
				return nil, err
			}
		case "a file is left behind":
			if err := os.MkdirAll(filepath.Dir(r.Path), 0o777); err != nil {
				return nil, err
			}
			if err := os.WriteFile(r.Path+".log", nil, 0o666); err != nil {
				return nil, err
			}
		}
		w, err := createRows(ctx, r)
		if err != nil {
			return nil, err
		}
		return &faultySink{Sink: w, fault: fault}, nil
	}
	if fault == "an option is wrong" {
		write.Options = append(write.Options, write.Options[0])
	} else if err := register(); err != nil {
		t.Fatal(err)
	}
	f.Name, f.Extensions = "faulty", []string{".faulty"}
	f.Read, f.Write = &read, &write
	if err := source.Register(f); err != nil {
		t.Run("description", func(t *testing.T) { t.Fatal(err) })
		return
	}
	formattest.Run(t, formattest.Config{Format: "faulty", Truncation: true})
}

// complete appends to a file what makes it one without the rows that were cut.
func complete(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head := bytes.Index(raw, []byte("\n\n"))
	if head < 0 {
		return nil
	}
	return os.WriteFile(path, append(raw[:head+2], make([]byte, rowsTrailer)...), 0o666)
}

type faultyFile struct {
	format.File
	fault string
}

func (f faultyFile) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	src, err := f.File.Source(ctx, p)
	if err != nil {
		return nil, err
	}
	return &faultySource{Source: src, fault: f.fault}, nil
}

type faultySource struct {
	colstore.Source
	fault string
	scan  colstore.Scan // the last that began
}

func (s *faultySource) Splits(rows int) []colstore.Range {
	ranges := s.Source.(colstore.Splitter).Splits(rows)
	if s.fault == "splits overlap" {
		return append(ranges, ranges...)
	}
	return ranges
}

func (s *faultySource) Cost(columns []string) colstore.Cost {
	return s.Source.(colstore.Coster).Cost(columns)
}

func (s *faultySource) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	var held []byte
	switch s.fault {
	case "a row is lost":
		q.Rows.End = s.Rows() - 1
	case "batches are too large":
		q.BatchRows++
	case "columns come in file order":
		q.Columns = nil
	case "the context is not heard":
		ctx = context.WithoutCancel(ctx)
	case "a scan holds memory":
		held = make([]byte, 16<<20)
	case "a source cannot be shared":
		s.scan = q
	}
	return func(yield func(*colstore.Batch, error) bool) {
		for b, err := range s.Source.Scan(ctx, q) {
			if s.fault == "batches are kept" && err == nil {
				b.Retain()
			}
			if s.fault == "a source cannot be shared" && (s.scan.BatchRows != q.BatchRows || s.scan.Threads != q.Threads) {
				return
			}
			if !yield(b, err) {
				return
			}
			clear(held)
		}
	}
}

type faultySink struct {
	colstore.Sink
	fault string
	held  []*colstore.Batch
}

func (w *faultySink) Write(ctx context.Context, b *colstore.Batch) error {
	err := w.Sink.Write(ctx, b)
	switch {
	case w.fault == "a sink holds memory":
		w.held = append(w.held, b.Detach())
	case w.fault == "writes show in the file" && err == nil && b.Rows() > 500:
		return w.Sink.Write(ctx, b.Slice(0, 1))
	case w.fault == "failed calls are not told":
		return nil
	case w.fault == "closed sinks take rows" && errors.Is(err, colstore.ErrClosed):
		return nil
	}
	return err
}

func (w *faultySink) Commit(ctx context.Context) error {
	err := w.Sink.Commit(ctx)
	if w.fault == "failed calls are not told" {
		return nil
	}
	return err
}
