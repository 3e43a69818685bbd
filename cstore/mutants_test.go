package cstore

import (
	"bytes"
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/soak"
)

// openBytes reads everything that Open reads before it maps a file.
func openBytes(data []byte) (h *header, records []record, end int64, s *stats, err error) {
	r := bytes.NewReader(data)
	if h, err = readHeader(r, int64(len(data))); err != nil {
		return nil, nil, 0, nil, err
	}
	if records, end, err = readRecords(r, h); err != nil {
		return nil, nil, 0, nil, err
	}
	return h, records, end, readStats(r, h, end), nil
}

// outcome is what became of a mutant.
type outcome uint8

const (
	opened outcome = iota
	openedStats
	refused
	refusedChecksum
	refusedTruncated
	refusedRecord
	outcomes
)

func (o outcome) String() string {
	return [...]string{"opened", "opened with statistics", "refused", "refused by a checksum", "refused as truncated", "refused at a record"}[o]
}

// checkMutant opens a file and holds what opens against its bytes.
func checkMutant(data []byte) (outcome, error) {
	h, records, end, s, err := openBytes(data)
	if err != nil {
		e, ok := errors.AsType[*colstore.Error](err)
		switch {
		case !errors.Is(err, colstore.ErrFormat):
			return refused, fmt.Errorf("it is no format error: %w", err)
		case ok && e.Record != 0:
			return refusedRecord, nil
		case errors.Is(err, colstore.ErrChecksum):
			return refusedChecksum, nil
		case errors.Is(err, colstore.ErrTruncated):
			return refusedTruncated, nil
		}
		return refused, nil
	}
	size := int64(len(data))
	row, at, rows := int64(h.schema.RowBytes()), h.dataAt, int64(0)
	if h.dataAt < manifestAt || h.dataAt > size && len(records) > 0 || int64(len(records)) != h.records || row <= 0 {
		return opened, fmt.Errorf("%d records of rows of %d bytes from %d on", len(records), row, h.dataAt)
	}
	for i, r := range records {
		if r.body != at+recordHeaderSize || r.first != rows || r.rows < 0 || r.rows > (size-r.body)/row {
			return opened, fmt.Errorf("record %d is %+v", i, r)
		}
		at, rows = align(r.body+r.rows*row, bodyAlign), rows+r.rows
	}
	if rows != h.rows || at != end || end > size && len(records) > 0 {
		return opened, fmt.Errorf("%d rows up to %d, the records have %d up to %d", h.rows, end, rows, at)
	}
	if s == nil {
		return opened, nil
	}
	if s.records != len(records) || len(s.columns) != h.schema.Len() || h.statsOffset < end {
		return opened, fmt.Errorf("statistics of %d records and %d columns at %d", s.records, len(s.columns), h.statsOffset)
	}
	if err := checkFooter(data[h.statsOffset:], h.schema, len(records)); err != nil {
		return openedStats, err
	}
	for c, f := range h.schema.All() {
		for i := range records {
			lo, hi, ok := s.bounds(c, i)
			if ok != (s.columns[c].usable[i] == 1) || ok && (lo.Rows() != 1 || hi.Rows() != 1 || lo.Type() != f.Type || hi.Type() != f.Type || len(lo.At(0)) != f.Type.Size()) {
				return openedStats, fmt.Errorf("bounds %v of column %d of record %d", ok, c, i)
			}
		}
	}
	return openedStats, nil
}

// checkFooter reads a footer that was taken, to its end, and holds it against the columns.
func checkFooter(b []byte, s *colstore.Schema, records int) error {
	total := len(b)
	take := func(n int) (part []byte) {
		part = b[:min(n, len(b))]
		b = b[len(part):]
		return part
	}
	number := func(n int) (v int) {
		for i, c := range take(n) {
			v |= int(c) << (8 * i)
		}
		return v
	}
	if string(take(8)) != statsMagic || number(4) != 1 || number(4) != s.Len() || number(4) != records {
		return fmt.Errorf("the footer is of another file")
	}
	row := 0
	for i, f := range s.All() {
		if name, code := string(take(number(2))), string(take(number(2))); name != f.Name || code != f.Type.String() {
			return fmt.Errorf("column %d of the footer is %q %s, not %q %s", i, name, code, f.Name, f.Type)
		}
		row += 2*f.Type.Size() + 1
	}
	if want := row*records + 4; len(b) != want {
		return fmt.Errorf("the footer has %d bytes, of which %d should be %d", total, len(b), want)
	}
	return nil
}

const (
	roundMutants = 256      // a worker, between two looks at the heap
	hang         = 60e9     // no mutant takes that long
	mutantSlack  = 24 << 10 // bytes that reading a small file may allocate whatever its size: the manifest's columns, errors
)

// largeObjects returns how many objects of more than 32 KiB, and how many bytes in all, were ever allocated.
func largeObjects(samples []metrics.Sample) (objects, bytes uint64) {
	samples[0].Name, samples[1].Name = "/gc/heap/allocs-by-size:bytes", "/gc/heap/allocs:bytes"
	metrics.Read(samples)
	counts := samples[0].Value.Float64Histogram().Counts
	return counts[len(counts)-1], samples[1].Value.Uint64()
}

// Of 20,000,000 damaged files, their checksums made right again, none ends or hangs the reader or makes it allocate what is
// out of proportion to the file, and what opens is whole.
func TestMutantsSoak(t *testing.T) {
	images := loadImages(t, "crashed", "crashed_fresh", "empty_records", "handmade_big_endian", "long_strings", "non_ascii", "odd_sizes",
		"one_column", "one_record", "stats_mixed", "updated", "zero_rows")
	n := soak.Count(t, 200_000, 20_000_000)
	workers := goruntime.GOMAXPROCS(0)
	var counts [outcomes]atomic.Int64
	mutators := make([]*mutator, workers)
	for i := range mutators {
		mutators[i] = newMutator(images)
		mutators[i].buf, mutators[i].spare = make([]byte, 0, 64<<10), make([]byte, 0, 64<<10)
	}
	try := func(m *mutator, i int) (err error) {
		data := m.mutant(i)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			if err != nil {
				err = fmt.Errorf("mutant %d: %w\n%q", i, err, data)
			}
		}()
		got, err := checkMutant(data)
		counts[got].Add(1)
		if i%64 == 0 {
			if raw, ok := manifestOf(data); ok && err == nil {
				_, err = twins(raw)
			}
		}
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // nothing lives for long
	samples := make([]metrics.Sample, 2)
	largeObjects(samples)
	for begin := 0; begin < n; begin += workers * roundMutants {
		watchdog := time.AfterFunc(hang, func() { panic(fmt.Sprintf("one of the mutants from %d on hangs", begin)) })
		large, total := largeObjects(samples)
		errs := make([]error, workers)
		var wg sync.WaitGroup
		for w, m := range mutators {
			wg.Go(func() {
				for i := begin + w*roundMutants; i < min(n, begin+(w+1)*roundMutants) && errs[w] == nil; i++ {
					errs[w] = try(m, i)
				}
			})
		}
		wg.Wait()
		watchdog.Stop()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if l, b := largeObjects(samples); l != large || b-total > uint64(workers*roundMutants)*mutantSlack {
			t.Errorf("mutants %d to %d: %d large objects, %d bytes were allocated", begin, begin+workers*roundMutants, l-large, b-total)
			for i := begin; i < min(n, begin+workers*roundMutants); i++ {
				large, total := largeObjects(samples)
				_ = try(mutators[0], i)
				if l, b := largeObjects(samples); l != large || b-total > 8*mutantSlack {
					t.Fatalf("mutant %d: %d large objects, %d bytes are allocated\n%q", i, l-large, b-total, mutators[0].mutant(i))
				}
			}
			t.FailNow()
		}
	}
	var report []string
	for o := range outcomes {
		got := counts[o].Load()
		report = append(report, fmt.Sprintf("%s: %d", o, got))
		if n > 10_000 && got < int64(n/200) {
			t.Errorf("only %d of %d mutants are %s: the checks behind are not reached", got, n, o)
		}
	}
	t.Logf("%d mutants: %s", n, strings.Join(report, ", "))
}
