package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
)

// config is what the flags say.
type config struct {
	rows  int
	runs  int
	peers string
	dir   string
	only  string
	json  string
	probe string

	patterns bool
	sizes    string
	report   string
	docs     string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := config{}
	flag.IntVar(&c.rows, "rows", 20_000_000, "`rows` of the flights; the tables of noise have 5/2 as many")
	flag.IntVar(&c.runs, "runs", 7, "timed `rounds`")
	flag.StringVar(&c.peers, "peers", "", "the `python` with the peers (default .peers/bin/python of the module)")
	flag.StringVar(&c.dir, "dir", filepath.Join(os.TempDir(), "colstore-benchmark"), "`folder` for data, kept for the next run")
	flag.StringVar(&c.only, "only", "*", "comma-separated `names` of workloads or access patterns; * and ? stand for parts of names")
	flag.StringVar(&c.json, "json", "", "also write the results to this `file`, one JSON object a line")
	flag.StringVar(&c.probe, "probe", "", "be the engine of this `name`, with its arguments; benchmark starts itself so")
	flag.BoolVar(&c.patterns, "patterns", false, "only the access patterns: calls in processes that stay warm")
	flag.StringVar(&c.sizes, "sizes", "1k,100k,10M,50M,200M", "comma-separated `rows` of the tables of the access patterns")
	flag.StringVar(&c.report, "report", "", "measure nothing: print the table of the access patterns in this `file` of -json")
	flag.StringVar(&c.docs, "docs", "", "with -report: put the tables into these comma-separated `documents`")
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(), "Measures colstore beside its peers; run it in the module's folder. `go doc ./benchmark` says what is measured and how.")
		flag.PrintDefaults()
	}
	flag.Parse()
	run := func() error { return c.run(ctx, os.Stdout, os.Stderr) }
	if c.report != "" {
		run = func() error { return c.show(os.Stdout) }
	}
	if c.probe != "" {
		run = func() error { return probe(ctx, os.Stdin, os.Stdout, c.probe, flag.Args()) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

// show reports what was measured before.
func (c *config) show(out io.Writer) error {
	if err := c.validate(); err != nil {
		return err
	}
	if c.docs != "" {
		return writeDocs(c.report, strings.Split(c.docs, ","))
	}
	r, err := readReport(c.report)
	if err != nil {
		return err
	}
	return writePatterns(out, r.timed)
}

func (c *config) validate() error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if c.rows < 1 || c.runs < 1 {
		return fmt.Errorf("-rows %d and -runs %d must be at least 1", c.rows, c.runs)
	}
	if c.docs != "" && c.report == "" {
		return errors.New("-docs puts a report into documents; name the report with -report")
	}
	if c.json != "" {
		if st, err := os.Stat(filepath.Dir(c.json)); err != nil || !st.IsDir() {
			return fmt.Errorf("-json %s: there is no folder %s", c.json, filepath.Dir(c.json))
		}
	}
	if err := c.validateNames(); err != nil {
		return err
	}
	_, err := parseSizes(c.sizes)
	return err
}

// validateNames finds out what is wrong with -only before anything is made for a run of nothing.
func (c *config) validateNames() error {
	var names []string
	if !c.patterns {
		for _, w := range new(bench).workloads() {
			names = append(names, w.name)
		}
	}
	for _, p := range patterns() {
		names = append(names, p.Name)
	}
	for p := range strings.SplitSeq(c.only, ",") {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("-only %q: %w", p, err)
		}
		if !slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(p, name); return ok }) {
			return fmt.Errorf("-only: nothing is named %q%s", p, colstore.Suggest(p, names))
		}
	}
	return nil
}

// wants reports whether a workload or an access pattern is to be measured.
func (c *config) wants(name string) bool {
	for p := range strings.SplitSeq(c.only, ",") {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// run measures the workloads that c names. A workload that fails does not keep the others from running.
func (c *config) run(ctx context.Context, out, progress io.Writer) error {
	if err := c.validate(); err != nil {
		return err
	}
	b, err := newBench(ctx, c, progress)
	if err != nil {
		return err
	}
	log, err := openLog(c.json)
	if err != nil {
		return err
	}
	var failed []error
	var all []result
	for _, w := range b.workloads() {
		if c.patterns || !c.wants(w.name) {
			continue
		}
		results, err := b.measure(ctx, w)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", w.name, err))
			continue
		}
		if err := log.write(results); err != nil {
			return errors.Join(err, log.close())
		}
		all = append(all, results...)
	}
	timed, err := b.measurePatterns(ctx, c, log)
	if err != nil {
		failed = append(failed, err)
	}
	failed = append(failed, log.close(), writeTable(out, b.machine(), all), writePatterns(out, timed))
	return errors.Join(failed...)
}
