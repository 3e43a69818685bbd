package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go/frame"
)

type functionJSON struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases,omitempty"`
	Operator string   `json:"operator,omitempty"`
	MinArgs  int      `json:"min_args"`
	MaxArgs  int      `json:"max_args"`
	Doc      string   `json:"doc"`
}

func (a *app) functions() *cobra.Command {
	c := &cobra.Command{
		Use:   "functions",
		Short: "What an expression can call",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.asJSON {
				var out []functionJSON
				for _, f := range frame.Functions() {
					out = append(out, functionJSON{f.Name, f.Aliases, f.Symbol, f.MinArgs, f.MaxArgs, f.Doc})
				}
				return a.writeJSON(out)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "function\targuments\tmeaning")
			for _, f := range frame.Functions() {
				args := strconv.Itoa(f.MinArgs)
				if f.MaxArgs > f.MinArgs {
					args += " or " + strconv.Itoa(f.MaxArgs)
				}
				doc := f.Doc
				if f.Symbol != "" {
					doc += "; written " + f.Symbol
				}
				if len(f.Aliases) > 0 {
					doc += "; also " + strings.Join(f.Aliases, ", ")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, args, doc)
			}
			return w.Flush()
		},
	}
	a.jsonFlag(c, "a JSON list of functions")
	return c
}
