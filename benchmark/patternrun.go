package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// timing is what one engine took for one pattern at one size: a line of the JSON.
type timing struct {
	Pattern string  `json:"pattern"`
	Rows    int     `json:"rows"` // of the table
	Engine  string  `json:"engine"`
	Ours    bool    `json:"ours"`
	Min     float64 `json:"min"` // seconds a call
	Median  float64 `json:"median"`
	Rounds  int     `json:"rounds"`
	Loops   int     `json:"loops"` // calls a round
	Bytes   int64   `json:"bytes"` // of the result
	Note    string  `json:"note,omitempty"`
}

// large are the sizes at which a table of everything is beyond the machine: only patterns of f4 and f8 are measured.
const large = 100_000_000

// kept is the size up to which data stays for the next run; tables of more rows are removed when they were measured.
const kept = 10_000_000

// parseSizes reads a list of numbers of rows: 1k,100k,10M.
func parseSizes(text string) ([]int, error) {
	var out []int
	for word := range strings.SplitSeq(text, ",") {
		digits, scale := strings.TrimSpace(word), 1
		switch {
		case strings.HasSuffix(digits, "k"):
			digits, scale = strings.TrimSuffix(digits, "k"), 1000
		case strings.HasSuffix(digits, "M"):
			digits, scale = strings.TrimSuffix(digits, "M"), 1_000_000
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 1_000_000_000/scale {
			return nil, fmt.Errorf("-sizes %q: %q is no number of rows; write 1k,100k,10M", text, word)
		}
		out = append(out, n*scale)
	}
	return out, nil
}

// sizeName is how a size is written.
func sizeName(rows int) string {
	switch {
	case rows >= 1_000_000 && rows%1_000_000 == 0:
		return strconv.Itoa(rows/1_000_000) + " M"
	case rows >= 1000 && rows%1000 == 0:
		return strconv.Itoa(rows/1000) + " k"
	}
	return strconv.Itoa(rows)
}

// party is a server whose engines take part.
type party interface {
	ask(q request) (reply, error)
}

// measurePatterns measures the access patterns that c names at all sizes.
func (b *bench) measurePatterns(ctx context.Context, c *config, log *resultLog) (timed []timing, err error) {
	sizes, err := parseSizes(c.sizes)
	if err != nil {
		return nil, err
	}
	var wanted []pattern
	for _, p := range patterns() {
		if c.wants(p.Name) {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.dir, "patterns")
	ours, err := start(ctx, []string{self, "-probe", "serve", folder})
	if err != nil {
		return nil, err
	}
	defer func() { err = ended(ctx, err, ours) }()
	peers, err := start(ctx, b.script("patterns.py", folder))
	if err != nil {
		return nil, err
	}
	defer func() { err = ended(ctx, err, peers) }()
	about, err := peers.ask(request{Do: "about"})
	if err != nil {
		return nil, err
	}
	if err := log.line(map[string]string{"machine": machineOf(), "peers": about.About}); err != nil {
		return nil, err
	}
	var failed []error
	for _, rows := range sizes {
		for i, p := range wanted {
			if p.small && rows >= large {
				continue
			}
			t, err := b.measurePattern(ours, peers, p, rows)
			if ctx.Err() != nil {
				return timed, context.Cause(ctx)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("%s, %s rows: %w", p.Name, sizeName(rows), err))
			}
			for _, t := range t {
				failed = append(failed, log.line(t))
			}
			timed = append(timed, t...)
			if rows > kept && (i+1 == len(wanted) || wanted[i+1].File != p.File) {
				failed = append(failed, discardFiles(filepath.Join(folder, strconv.Itoa(rows)), p, i+1 == len(wanted)))
			}
		}
	}
	return timed, errors.Join(failed...)
}

// ended closes a server and adds its error to err, but for that of one that was interrupted with this program.
func ended(ctx context.Context, err error, w *warm) error {
	if e := w.close(); ctx.Err() == nil {
		return errors.Join(err, e)
	}
	return err
}

// discardFiles removes the files of a pattern; those that several have, at the end.
func discardFiles(folder string, p pattern, end bool) error {
	if end {
		return os.RemoveAll(folder)
	}
	files, err := filepath.Glob(filepath.Join(folder, p.File+".*"))
	for _, f := range files {
		if p.File != "wide" || filepath.Ext(f) != ".cstore" { // with whose values NumPy's part of other patterns is done
			err = errors.Join(err, os.RemoveAll(f))
		}
	}
	return err
}

func machineOf() string {
	return fmt.Sprintf("%s, %s/%s, %d CPUs, %s", time.Now().UTC().Format(time.DateOnly), goruntime.GOOS, goruntime.GOARCH,
		goruntime.NumCPU(), goruntime.Version())
}

// entrant is an engine in the rounds of a pattern.
type entrant struct {
	timing

	at      party
	seconds []float64
	slow    bool // for fewer rounds
}

// slowRounds are those of a peer that takes slowSeconds a call.
const (
	slowRounds  = 3
	slowSeconds = 1.0
)

// measurePattern runs the engines of both servers turn by turn. The first result of each, and a quick check of every round,
// have to be those of the others; a peer that fails is left out.
func (b *bench) measurePattern(ours, peers party, p pattern, rows int) ([]timing, error) {
	b.tell("%s, %s rows", p.Name, sizeName(rows))
	entrants, err := enter(ours, peers, p, rows)
	if err != nil {
		return nil, err
	}
	able, want, err := compare(entrants, rows)
	if err != nil {
		return nil, err
	}
	rounds := b.runs
	for _, e := range able { // untimed; tells how many calls are long enough to be timed
		if err := e.fill(roundSeconds); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Engine, err)
		}
	}
	for begin := time.Now(); rounds > 0 || time.Since(begin) < b.least; rounds-- {
		for _, e := range able {
			if e.slow && len(e.seconds) >= slowRounds {
				continue
			}
			a, err := e.at.ask(request{Do: "run", Engine: e.Engine, Loops: e.Loops})
			if err == nil && a.Check != nil {
				err = a.Check.differs(want, rows)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Engine, err)
			}
			e.seconds = append(e.seconds, a.Seconds)
		}
		slices.Reverse(able)
	}
	out := make([]timing, 0, len(entrants))
	for _, e := range entrants {
		if len(e.seconds) > 0 {
			e.Min, e.Median, e.Rounds = slices.Min(e.seconds), median(e.seconds), len(e.seconds)
		}
		out = append(out, e.timing)
	}
	b.tell("  %s", shortly(out))
	for _, w := range []party{ours, peers} {
		if _, err := w.ask(request{Do: "done"}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// fill finds how many calls take so many seconds. The first calls of an engine that slept are slow, ten times so where a
// call is short: a number that one of them tells would be too small, and every round would begin and end among such calls.
func (e *entrant) fill(seconds float64) error {
	for e.Loops = 1; ; {
		a, err := e.at.ask(request{Do: "run", Engine: e.Engine, Loops: e.Loops})
		if err != nil {
			return err
		}
		if e.Loops == 1 {
			e.slow = a.Seconds >= slowSeconds && !e.Ours && !strings.HasPrefix(e.Engine, "colstore")
		}
		need := int(min(mostLoops, max(1, seconds/max(a.Seconds, 1e-9))))
		if need <= e.Loops {
			return nil
		}
		e.Loops = min(need, 10*e.Loops) // of which the first are a smaller part
	}
}

// mostLoops is how many calls a round has at most.
const mostLoops = 10_000

// shortly tells the least times of the engines in one line.
func shortly(timed []timing) string {
	var words []string
	for _, t := range timed {
		switch {
		case t.Rounds > 0:
			words = append(words, fmt.Sprintf("%s %s", t.Engine, time.Duration(t.Min*1e9)))
		default:
			words = append(words, fmt.Sprintf("%s -", t.Engine))
		}
	}
	return strings.Join(words, ", ")
}

// roundSeconds is how long an engine is called in a round at least.
const roundSeconds = 0.002

// enter prepares a pattern in both servers and returns their engines, ours first. The peers write the files.
func enter(ours, peers party, p pattern, rows int) ([]*entrant, error) {
	q := request{Do: "prepare", Pattern: &p, Rows: rows}
	theirs, err := peers.ask(q)
	if err != nil {
		return nil, fmt.Errorf("the peers: %w", err)
	}
	own, err := ours.ask(q)
	if err != nil {
		return nil, err
	}
	var out []*entrant
	for _, name := range own.Engines {
		out = append(out, &entrant{timing: timing{Pattern: p.Name, Rows: rows, Engine: name, Ours: true}, at: ours})
	}
	for _, name := range theirs.Engines {
		out = append(out, &entrant{timing: timing{Pattern: p.Name, Rows: rows, Engine: name}, at: peers})
	}
	return out, nil
}

// compare calls every engine once and returns those that work, and what all results are compared with: those of NumPy if
// it takes part.
func compare(entrants []*entrant, rows int) (able []*entrant, want check, err error) {
	firsts := map[*entrant]check{}
	for _, e := range entrants {
		a, err := e.at.ask(request{Do: "first", Engine: e.Engine})
		switch {
		case errors.Is(err, errRefused) && !e.Ours:
			e.Note = err.Error()
			continue
		case err != nil:
			return nil, want, fmt.Errorf("%s: %w", e.Engine, err)
		case a.Check == nil:
			return nil, want, fmt.Errorf("%s: %w: there is no check", e.Engine, errDifferent)
		}
		e.Bytes = a.Bytes
		if e.Engine == "numpy" || len(firsts) == 0 {
			want = *a.Check
		}
		firsts[e] = *a.Check
		able = append(able, e)
	}
	for _, e := range able {
		if err := firsts[e].differs(want, rows); err != nil {
			return nil, want, fmt.Errorf("%s: %w", e.Engine, err)
		}
	}
	return able, want, nil
}
