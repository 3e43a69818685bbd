package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// result is what one engine did in one workload.
type result struct {
	Workload string    `json:"workload"`
	Engine   string    `json:"engine"`
	Seconds  []float64 `json:"seconds"`    // a round; empty if the engine could not do the work
	Min      float64   `json:"min"`        // of Seconds
	Median   float64   `json:"median"`     // of Seconds
	Inners   []float64 `json:"inners"`     // seconds of the operation alone, a round; empty if the engine does not tell
	Inner    float64   `json:"inner"`      // the least of Inners
	Basis    float64   `json:"basis"`      // the seconds of throughput and ratio: Min or Inner
	Typical  float64   `json:"typical"`    // the median of the same seconds
	Bytes    int64     `json:"bytes"`      // of the workload's values, uncompressed
	Peak     int64     `json:"peak_bytes"` // of the largest round
	Output   int64     `json:"output_bytes"`
	Ratio    float64   `json:"ours_to_peer"`        // of the bases; 0 for our own
	Medians  float64   `json:"ours_to_peer_median"` // of the medians; 0 for our own
	Note     string    `json:"note"`
}

// output returns the path that engines write to.
func (b *bench) output(extension string) string { return filepath.Join(b.dir, "out"+extension) }

// measure runs the engines of a workload: once untimed, with its output verified, and then round by round.
//
// Errors: ours has failed, or an output is not what it should be. A peer that fails is left out of the rounds.
func (b *bench) measure(ctx context.Context, w workload) ([]result, error) {
	t, err := w.prepare(ctx)
	if err != nil {
		return nil, err
	}
	var want product
	if t.source != "" {
		c, err := b.read(ctx, t.source)
		if err != nil {
			return nil, err
		}
		b.contents[t.source] = c
		want.content = &c
	}
	results := make([]result, len(t.engines))
	able := make([]bool, len(t.engines))
	for i, e := range t.engines {
		b.tell("%s: %s", w.name, e.name)
		r := result{Workload: w.name, Engine: e.name, Bytes: t.bytes}
		first, err := b.once(ctx, e)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && !e.peer:
			return nil, err
		case err != nil:
			r.Note = err.Error()
			results[i] = r
			continue
		}
		r.Note = first.accountOf().Note
		if r.Output, err = b.verify(ctx, t, e, first, &want); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		results[i], able[i] = r, true
	}
	for range b.runs {
		for i, e := range t.engines {
			if !able[i] {
				continue
			}
			r, err := b.once(ctx, e)
			if err == nil && e.out != "" {
				err = sized(e.out, results[i].Output)
			}
			var a account
			if err == nil {
				a, err = e.account(r)
			}
			if err == nil && t.answers {
				err = a.differs(*want.answer, t.tolerance)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.name, err)
			}
			results[i].add(r, a)
		}
	}
	summarize(results, t.byInner)
	return results, b.discard(t)
}

// add takes in a timed round.
func (r *result) add(round run, a account) {
	r.Seconds = append(r.Seconds, round.seconds())
	r.Peak = max(r.Peak, round.peak)
	if a.Inner > 0 {
		r.Inners = append(r.Inners, a.Inner)
	}
}

// product is what the engines of a task have to make; nil is not known yet.
type product struct {
	content *content
	answer  *answer
}

// once runs an engine with no old output in its way: removing that takes its unwritten pages from the system's queue.
func (b *bench) once(ctx context.Context, e engine) (run, error) {
	if e.out != "" {
		if err := remove(e.out); err != nil {
			return run{}, err
		}
	}
	if e.folder != "" {
		if err := os.RemoveAll(e.folder); err != nil {
			return run{}, err
		}
	}
	if b.meter == "" {
		return execute(ctx, e.argv)
	}
	return metered(ctx, b.meter, e.argv)
}

// verify checks what an engine has reported and made, and returns the bytes of its output file. What want does not hold is
// put there, for the engines that follow.
func (b *bench) verify(ctx context.Context, t task, e engine, first run, want *product) (int64, error) {
	told, err := e.account(first)
	if err != nil {
		return 0, err
	}
	if t.byInner && told.Inner <= 0 {
		return 0, fmt.Errorf("%w: it tells no inner seconds", errDifferent)
	}
	if t.answers {
		if err := want.check(told.answer, t.tolerance); err != nil {
			return 0, err
		}
	}
	reported := told.Rows
	if e.probe != nil {
		r, err := execute(ctx, e.probe)
		if err != nil {
			return 0, err
		}
		if reported, err = readRows(r.stdout); err != nil {
			return 0, err
		}
	}
	if t.rows > 0 && reported != t.rows && (e.peer || e.probe != nil) {
		return 0, fmt.Errorf("%w: %d rows reported, not %d", errDifferent, reported, t.rows)
	}
	got := content{Rows: told.Rows, Columns: told.Columns}
	if e.out == "" && got.Columns == nil {
		return 0, nil
	}
	size := int64(0)
	if e.out != "" {
		st, err := os.Stat(e.out)
		if err != nil {
			return 0, err
		}
		size = st.Size()
		if got, err = b.read(ctx, e.out); err != nil {
			return 0, err
		}
	}
	if want.content == nil {
		want.content = &got
		return size, nil
	}
	return size, got.differs(*want.content)
}

// check compares an answer with that of the engines before.
func (p *product) check(a answer, tolerance float64) error {
	if a.empty() {
		return fmt.Errorf("%w: there is no answer", errDifferent)
	}
	if p.answer == nil {
		p.answer = &a
	}
	return a.differs(*p.answer, tolerance)
}

// sized checks that a later round has written as much as the verified one.
func sized(path string, size int64) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	// A Parquet writer of several threads may lay out its pages otherwise each time.
	if d := st.Size() - size; d > size/100 || d < -size/100 {
		return fmt.Errorf("%w: %d bytes, and %d before", errDifferent, st.Size(), size)
	}
	return nil
}

// discard removes the outputs of a task.
func (b *bench) discard(t task) error {
	var failed []error
	for _, e := range t.engines {
		if e.out != "" {
			failed = append(failed, remove(e.out))
		}
		if e.folder != "" {
			failed = append(failed, os.RemoveAll(e.folder))
		}
	}
	return errors.Join(failed...)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// summarize fills in what follows from the seconds; the first result is ours.
func summarize(results []result, byInner bool) {
	for i := range results {
		r := &results[i]
		if len(r.Seconds) == 0 {
			continue
		}
		r.Min, r.Median = slices.Min(r.Seconds), median(r.Seconds)
		r.Basis, r.Typical = r.Min, r.Median
		if len(r.Inners) > 0 {
			r.Inner = slices.Min(r.Inners)
		}
		if byInner {
			r.Basis, r.Typical = r.Inner, median(r.Inners)
		}
		if i > 0 {
			r.Ratio, r.Medians = results[0].Basis/r.Basis, results[0].Typical/r.Typical
		}
	}
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
