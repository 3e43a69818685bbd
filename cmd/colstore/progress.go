package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/colstore/colstore-go/runtime"
)

// progress shows how far runs have come: bars with rate and time left on a terminal, else a line every ten seconds.
type progress struct {
	a     *app
	bars  *mpb.Progress
	mu    sync.Mutex
	runs  map[string]*progressRun
	began time.Time
	last  time.Time
}

type progressRun struct {
	bar   *mpb.Bar
	phase runtime.Phase
	rows  int64
	total int64
}

// progressEvery is how often a line is printed where there is no terminal.
const progressEvery = 10 * time.Second

// progress returns the display of a command's runs.
func (a *app) progress() *progress {
	p := &progress{a: a, runs: map[string]*progressRun{}, began: time.Now(), last: time.Now()}
	if _, ok := terminal(a.err); ok && !a.quiet && !a.noProgress {
		p.bars = mpb.New(mpb.WithOutput(a.err), mpb.WithWidth(32), mpb.WithRefreshRate(150*time.Millisecond))
	}
	return p
}

var phaseNames = [...]string{runtime.PhaseCount: "counting", runtime.PhaseWrite: "writing", runtime.PhaseCommit: "publishing"}

// event takes the news of a run. It is called from several goroutines.
func (p *progress) event(e runtime.Event) {
	if p.a.quiet || p.a.noProgress {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[e.Name]
	if r == nil {
		r = &progressRun{total: e.Total}
		p.runs[e.Name] = r
		if p.bars != nil {
			r.bar = p.newBar(e)
		}
	}
	r.phase, r.rows = e.Phase, e.Rows
	if r.bar != nil {
		r.bar.SetCurrent(e.Rows)
		return
	}
	if now := time.Now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		p.line(e)
	}
}

func (p *progress) newBar(e runtime.Event) *mpb.Bar {
	name := func(decor.Statistics) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return e.Name + "  " + phaseNames[p.runs[e.Name].phase]
	}
	rate := func(s decor.Statistics) string {
		seconds := time.Since(p.began).Seconds()
		return fmt.Sprintf(" %s rows  %s rows/s ", commas(s.Current), commas(int64(float64(s.Current)/max(seconds, 1e-3))))
	}
	if e.Total <= 0 {
		return p.bars.AddSpinner(0, mpb.PrependDecorators(decor.Any(name)), mpb.AppendDecorators(decor.Any(rate)), mpb.BarRemoveOnComplete())
	}
	return p.bars.AddBar(e.Total, mpb.PrependDecorators(decor.Any(name), decor.Percentage(decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Any(rate), decor.AverageETA(decor.ET_STYLE_GO)), mpb.BarRemoveOnComplete())
}

// line prints how far one run has come.
func (p *progress) line(e runtime.Event) {
	seconds := time.Since(p.began).Seconds()
	rate := float64(e.Rows) / max(seconds, 1e-3)
	text := fmt.Sprintf("%s: %s %s rows, %s rows/s", e.Name, phaseNames[e.Phase], commas(e.Rows), commas(int64(rate)))
	if e.Total > 0 && rate > 0 {
		text += fmt.Sprintf(", %d %%, %s left", 100*e.Rows/e.Total, time.Duration(float64(e.Total-e.Rows)/rate*1e9).Round(time.Second))
	}
	fmt.Fprintln(p.a.err, text)
}

// stop takes the bars off the terminal.
func (p *progress) stop() {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	for _, r := range p.runs {
		r.bar.Abort(true)
	}
	p.mu.Unlock()
	p.bars.Wait()
}
