package calibrate

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/memory"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// DefaultRounds is how often every value is tried.
const DefaultRounds = 10

const (
	tableRows = 8 << 20   // of 8 bytes: beyond what caches hold
	pickRows  = 256 << 10 // of the table that are read
	maskRows  = 1 << 20
)

// needs is the level of kernels below which a target means nothing.
var needs = map[Target]kernel.Level{Prefetch: kernel.LevelSSE, MaskDensity: kernel.LevelAVX512}

// Run measures a target, adds what it found to s, and applies it to this program. It writes a line for every value to w.
// unstable is not "" if the rounds disagree: the machine is busy, and s stays as it was, as it does with an error. A target that
// kernels do not use on this processor is left out.
//
// Memory: some 80 MiB while it runs.
// Errors: that of ctx, w's.
func Run(ctx context.Context, t Target, rounds int, s *Saved, w io.Writer) (unstable string, err error) {
	if kernel.Active() < needs[t] {
		_, err = fmt.Fprintf(w, "  not used by kernels of level %v\n", kernel.Active())
		return "", err
	}
	before := kernel.Tuned()
	defer func() { kernel.Tune(s.tuning(before)) }()
	table := newTable()
	var settings []setting
	switch t {
	case Threads:
		settings = []setting{{"cap", &s.Threads, threadSweep(table)}}
	case Prefetch:
		settings = []setting{
			{"sorted", &s.Sorted, prefetchSweep(table, ascending(), func(d int) kernel.Tuning { return kernel.Tuning{PrefetchSorted: d, Sparse: before.Sparse} })},
			{"random", &s.Random, prefetchSweep(table, scattered(pickRows), func(d int) kernel.Tuning { return kernel.Tuning{PrefetchRandom: d, Sparse: before.Sparse} })},
		}
	case MaskDensity:
		settings = []setting{{"rows", &s.Mask, maskSweep(table)}}
	}
	if unstable, err = measure(ctx, settings, rounds, w); unstable == "" && err == nil {
		s.Version, s.Fingerprint, s.Written = version, Fingerprint(), time.Now().UTC().Truncate(time.Second)
	}
	return unstable, err
}

// A setting is one number of a target.
type setting struct {
	name  string
	found **Found // where what is found belongs
	sweep *sweep
}

// measure finds the numbers of a target: all of them, or, where one is unstable, none.
func measure(ctx context.Context, settings []setting, rounds int, w io.Writer) (unstable string, err error) {
	before := kernel.Tuned()
	found := make([]*Found, len(settings))
	for i, s := range settings {
		o, err := s.sweep.run(ctx, rounds)
		kernel.Tune(before)
		if err != nil {
			return "", err
		}
		for i, v := range o.values {
			if _, err := fmt.Fprintf(w, "  %s=%4d: %6.2f GB/s\n", s.name, v, o.speeds[i]); err != nil {
				return "", err
			}
		}
		found[i] = &Found{o.values[o.chosen], o.best()}
		if worst := min(o.halves[0], o.halves[1]); worst < steady {
			unstable = fmt.Sprintf("%s: in half of the rounds %d is %.0f %% slower than the best", s.name, o.values[o.chosen], 100*(1-worst))
		}
	}
	if unstable == "" {
		for i, s := range settings {
			*s.found = found[i]
		}
	}
	return unstable, nil
}

// newTable returns a column of tableRows floats.
func newTable() []float64 {
	t := memory.Make[float64](tableRows)
	for i := range t {
		t[i] = float64(i)
	}
	return t
}

// seed is the same for every run: what is compared must be.
const seed = 11

// scattered returns n rows of the table anywhere in it.
func scattered(n int) []int64 {
	r := rand.New(rand.NewPCG(seed, seed))
	rows := make([]int64, n)
	for i := range rows {
		rows[i] = r.Int64N(tableRows)
	}
	return rows
}

// ascending returns pickRows rows of the table in order, at uneven distances.
func ascending() []int64 {
	r := rand.New(rand.NewPCG(seed, seed))
	const step = tableRows / pickRows
	rows := make([]int64, pickRows)
	for i := range rows {
		rows[i] = int64(i*step) + r.Int64N(step)
	}
	return rows
}

// bytesOf returns the bytes of values.
func bytesOf(v []float64) []byte {
	b, _ := colstore.Wrap(v).Bytes() // dense, as every slice is
	return b
}

// timed returns how long f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// threadSweep reads rows anywhere in the table, in more and more goroutines.
func threadSweep(table []float64) *sweep {
	rows, dst := scattered(4*pickRows), memory.Make[float64](4*pickRows)
	column, runs := []colstore.Column{colstore.Wrap(table)}, kernel.NewRuns([]int64{0, tableRows})
	s := &sweep{bytes: float64(8 * len(rows))}
	for n := 1; n <= min(32, runtime.GOMAXPROCS(0)); n *= 2 {
		s.values = append(s.values, n)
	}
	const pieces = 64
	s.time = func(threads int) time.Duration {
		return timed(func() {
			_ = parallel.Each(pieces, threads, func(i int) error { // nothing in it fails
				begin, end := len(rows)*i/pieces, len(rows)*(i+1)/pieces
				runs.Gather(bytesOf(dst[begin:end]), column, rows[begin:end])
				return nil
			})
		})
	}
	return s
}

// prefetchSweep reads rows of the table with memory asked for at several distances.
func prefetchSweep(table []float64, rows []int64, tuning func(distance int) kernel.Tuning) *sweep {
	dst := memory.Make[float64](len(rows))
	column, runs := []colstore.Column{colstore.Wrap(table)}, kernel.NewRuns([]int64{0, tableRows})
	return &sweep{
		values: []int{0, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		bytes:  float64(8 * len(rows)),
		time: func(distance int) time.Duration {
			kernel.Tune(tuning(distance))
			return timed(func() { runs.Gather(bytesOf(dst), column, rows) })
		},
	}
}

// maskSweep takes rows of masks of several densities, each as often, with more and more of them one by one.
func maskSweep(table []float64) *sweep {
	dst := memory.Make[float64](maskRows)
	var masks [][]uint64
	r := rand.New(rand.NewPCG(seed, seed))
	for _, every := range []int{128, 32, 16, 8, 4} {
		mask := make([]uint64, maskRows/64)
		for range maskRows / every {
			at := r.IntN(maskRows)
			mask[at/64] |= 1 << (at % 64)
		}
		masks = append(masks, mask)
	}
	return &sweep{
		values: []int{0, 1, 2, 4, 8, 16, 32, 64},
		bytes:  float64(8 * maskRows * len(masks)),
		time: func(most int) time.Duration {
			kernel.Tune(kernel.Tuning{Sparse: most})
			return timed(func() {
				for _, mask := range masks {
					kernel.Compress(bytesOf(dst), bytesOf(table[:maskRows]), mask, 8)
				}
			})
		},
	}
}
