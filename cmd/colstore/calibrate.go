package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go/internal/calibrate"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/kernel"
)

// calibrateFlags are those of calibrate.
type calibrateFlags struct {
	rounds    int
	each      [3]int // of every target, 0 for rounds
	noPersist bool
}

// calibrate is the command of that name, and calibration run by another.
func (a *app) calibrate(name string) *cobra.Command {
	f := &calibrateFlags{}
	c := &cobra.Command{
		Use:   name + " [TARGET...]",
		Short: "Measure what suits this machine and keep it",
		Long: `Measure what suits this machine and keep it.

The targets are threads (how many goroutines a read of rows may use), prefetch (how far ahead it asks for memory) and
mask-density (how many rows of a mask are taken one by one); all of them unless some are named. Values are tried in turn, and
the smallest is chosen that comes within 5 % of the best; where the rounds disagree, what was known before is kept. Of a run that
is interrupted the targets are kept that were done. Results of programs never depend on it.`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runCalibrate(cmd, f, args) },
	}
	s := c.Flags()
	s.IntVar(&f.rounds, "rounds", calibrate.DefaultRounds, "how often every value is tried: more on a busy machine")
	for i, t := range calibrate.Targets {
		s.IntVar(&f.each[i], t.String()+"-rounds", 0, "the same for the "+t.Summary())
	}
	s.BoolVar(&f.noPersist, "no-persist", false, "keep nothing")
	return c
}

// calibration is the group of commands about what calibrate keeps.
func (a *app) calibration() *cobra.Command {
	c := &cobra.Command{
		Use:   "calibration",
		Short: "What was measured on this machine: run, show, clear",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("calibration has the commands run, show and clear")
		},
	}
	c.AddCommand(a.calibrate("run"), &cobra.Command{
		Use:   "show [TARGET...]",
		Short: "Where it is kept, and whether it is of this machine",
		RunE:  func(_ *cobra.Command, args []string) error { return a.showCalibration(args) },
	}, &cobra.Command{
		Use:   "clear [TARGET...]",
		Short: "Forget it",
		RunE:  func(_ *cobra.Command, args []string) error { return a.clearCalibration(args) },
	})
	return c
}

// targets returns the targets of those names, all for none, in their order.
func targets(names []string) ([]calibrate.Target, error) {
	if len(names) == 0 {
		return calibrate.Targets, nil
	}
	var out []calibrate.Target
	for _, n := range names {
		t, err := calibrate.ParseTarget(n)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, t)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (a *app) runCalibrate(cmd *cobra.Command, f *calibrateFlags, args []string) error {
	chosen, err := targets(args)
	if err != nil {
		return err
	}
	for i, n := range append(f.each[:], f.rounds) {
		given := i == len(f.each) || cmd.Flags().Changed(calibrate.Targets[i].String()+"-rounds")
		if given && n < 1 {
			return usagef("rounds of a calibration are 1 or more, not %d", n)
		}
	}
	saved, path := &calibrate.Saved{}, ""
	if !f.noPersist {
		if path, err = calibrate.Path(); err != nil {
			return err
		}
		if old, err := calibrate.Load(path); err == nil && old.Here() {
			saved = old // of targets that come to nothing now
		}
	}
	finished, found := 0, []calibrate.Target{}
	for _, t := range chosen {
		rounds := f.rounds
		if n := f.each[t]; n > 0 {
			rounds = n
		}
		var ok bool
		if ok, err = a.calibrateTarget(cmd.Context(), t, rounds, saved); err != nil {
			break // what was measured before is kept
		}
		finished++
		if ok {
			found = append(found, t)
		}
	}
	switch {
	case err != nil && finished == 0:
	case f.noPersist:
		_, _ = fmt.Fprintln(a.out, "Applied in-process only (--no-persist); nothing was cached.")
	default:
		a.keepCalibration(saved, found, path)
	}
	return err
}

// calibrateTarget measures one target, tells what became of it, and reports whether it was found.
func (a *app) calibrateTarget(ctx context.Context, t calibrate.Target, rounds int, saved *calibrate.Saved) (found bool, err error) {
	_, _ = fmt.Fprintf(a.out, "Calibrating %s (rounds=%d)...\n", t.Summary(), rounds)
	unstable, err := calibrate.Run(ctx, t, rounds, saved, a.out)
	if err != nil {
		return false, err
	}
	v := saved.Of(t)
	switch {
	case unstable != "":
		a.warn(fmt.Sprintf("calibration of %v is unstable (%s) and not used: the machine may be busy; use it alone, or more --rounds", t, unstable))
		_, _ = fmt.Fprintf(a.out, "  -> %s, as before\n", cmp.Or(v, "default"))
	case v != "":
		_, _ = fmt.Fprintf(a.out, "  -> %s\n", v)
	}
	_, _ = fmt.Fprintln(a.out)
	return unstable == "" && v != "", nil
}

// keepCalibration writes what was found to the file and tells where it is.
func (a *app) keepCalibration(saved *calibrate.Saved, found []calibrate.Target, path string) {
	if len(found) == 0 {
		_, _ = fmt.Fprintln(a.out, "Nothing was found; nothing was cached.")
		return
	}
	if err := saved.Keep(path, found); err != nil {
		a.warn(fmt.Sprintf("nothing was cached: %v", fsx.Bare(err)))
		return
	}
	_, _ = fmt.Fprintf(a.out, "Calibration cached under: %s\n", filepath.Dir(path))
}

func (a *app) showCalibration(args []string) error {
	chosen, err := targets(args)
	if err != nil {
		return err
	}
	path, err := calibrate.Path()
	if err != nil {
		return err
	}
	saved, err := calibrate.Load(path)
	_, _ = fmt.Fprintf(a.out, "Hardware fingerprint: %s\n", calibrate.Fingerprint())
	for _, t := range chosen {
		_, _ = fmt.Fprintf(a.out, "  %v cache: %s\n", t, path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && saved.Of(t) == "":
			_, _ = fmt.Fprintln(a.out, "    (absent)")
		case err != nil:
			_, _ = fmt.Fprintf(a.out, "    (unreadable: %v)\n", fsx.Bare(err))
		case !saved.Here():
			_, _ = fmt.Fprintf(a.out, "    fingerprint: DIFFERENT machine -- ignored here\n    applied value: none\n")
		default:
			_, _ = fmt.Fprintf(a.out, "    fingerprint: MATCHES this machine\n    applied value: %s\n", saved.Of(t))
		}
	}
	return nil
}

func (a *app) clearCalibration(args []string) error {
	chosen, err := targets(args)
	if err != nil {
		return err
	}
	path, err := calibrate.Path()
	if err != nil {
		return err
	}
	saved, err := calibrate.Load(path)
	if err != nil {
		saved = &calibrate.Saved{}
	}
	damaged := err != nil && !calibrate.Absent(err)
	removed := make([]bool, len(chosen))
	for i, t := range chosen {
		removed[i] = saved.Drop(t) || damaged
	}
	if err := saved.Save(path); err != nil && !calibrate.Absent(err) {
		return err
	}
	for i, t := range chosen {
		state := "no cache present"
		if removed[i] {
			state = "removed"
		}
		_, _ = fmt.Fprintf(a.out, "  %v: %s\n", t, state)
	}
	kernel.Tune(kernel.DefaultTuning)
	_, _ = fmt.Fprintln(a.out, "In-process state reset to uncalibrated defaults.")
	return nil
}
