package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/colstore/colstore-go/internal/calibrate"
	"github.com/colstore/colstore-go/internal/fsx"
)

// app is what all commands share.
type app struct {
	out, err   io.Writer
	quiet      bool
	noProgress bool
	asJSON     bool
	explaining bool
	command    string // that ran, for messages: "convert"
	warned     map[string]bool
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	a := &app{out: out, err: stderr}
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if cmd != nil && cmd != root {
		a.command = below(cmd)
	} else if err != nil {
		err = usageError{err} // no such command
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitDone
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	a.asJSON = a.asJSON || asksJSON(args) // flags are not read past the first bad one
	return a.fail(err)
}

// below returns the words that a command is called by, without the program's: "calibration show".
func below(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// asksJSON reports whether --json is among the flags.
func asksJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "colstore",
		Short:         "Convert, look at and filter columnar files; run recipes",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd != cmd.Root() {
				a.command = below(cmd) // for what is said before it ends
			}
			calibrate.Apply()
			return checkOutput(cmd)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.err)
			_ = cmd.Help()
			return usagef("a command is missing")
		},
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	f := root.PersistentFlags()
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no warnings")
	f.BoolVar(&a.noProgress, "no-progress", false, "no progress")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
			err = fmt.Errorf("%w; an expression that begins with - goes behind --", err)
		}
		return usageError{err}
	})
	root.AddCommand(a.convert(), a.append(), a.info(), a.schema(), a.head("head"), a.head("tail"), a.cat(), a.query(), a.eval(),
		a.stats(), a.hist(), a.report(), a.verify(), a.repair(), a.diff(), a.compact(), a.concat(), a.runRecipe(), a.formats(), a.functions(),
		a.calibrate("calibrate"), a.calibration(), a.numa(), a.version())
	for _, c := range root.Commands() {
		wrapArgs(c)
	}
	return root
}

// wrapArgs makes a wrong number of arguments a usage error.
func wrapArgs(c *cobra.Command) {
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// output is standard output. The first failed write is kept: the command fails at its end, whoever wrote.
type output struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("standard output: %w", fsx.Bare(err))
	}
	return n, err
}

// jsonFlag adds --json.
func (a *app) jsonFlag(c *cobra.Command, help string) {
	c.Flags().BoolVar(&a.asJSON, "json", false, help)
}

// terminal returns the size of the terminal that w is, or ok false.
func terminal(w io.Writer) (width int, ok bool) {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

// width returns how many columns a table may take.
func (a *app) width() int {
	if w, ok := terminal(a.out); ok && w > 0 {
		return w
	}
	return 80
}

// warn prints warnings, each of them once: several outputs may have the same to tell.
func (a *app) warn(warnings ...string) {
	if a.quiet {
		return
	}
	if a.warned == nil {
		a.warned = map[string]bool{}
	}
	for _, w := range warnings {
		if !a.warned[w] {
			a.warned[w] = true
			_, _ = io.WriteString(a.err, "colstore: warning: "+w+"\n")
		}
	}
}
