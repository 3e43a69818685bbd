package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

type optionJSON struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`
	Choices []string `json:"choices,omitempty"`
}

type formatJSON struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Extensions []string     `json:"extensions"`
	Read       bool         `json:"read"`
	Write      bool         `json:"write"`
	ReadWith   []optionJSON `json:"read_options"`
	WriteWith  []optionJSON `json:"write_options"`
}

func optionsJSON(options []format.Option) []optionJSON {
	out := []optionJSON{}
	for _, o := range options {
		out = append(out, optionJSON{o.Name, o.Doc, o.Default, o.Choices})
	}
	return out
}

func (a *app) formats() *cobra.Command {
	c := &cobra.Command{
		Use:   "formats",
		Short: "What can be read and written, and with which options",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.asJSON {
				out := []formatJSON{}
				for _, f := range source.Formats() {
					out = append(out, formatJSON{f.Name, f.Doc, f.Extensions, f.Readable, f.Writable, optionsJSON(f.Read), optionsJSON(f.Write)})
				}
				return a.writeJSON(out)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "format\textensions\treads\twrites\t")
			for _, f := range source.Formats() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", f.Name, strings.Join(f.Extensions, " "), yes(f.Readable), yes(f.Writable), f.Doc)
				for _, o := range f.Read {
					fmt.Fprintf(w, "\t\t%s\t\t%s\n", o.Name, o.Doc)
				}
				for _, o := range f.Write {
					fmt.Fprintf(w, "\t\t\t%s\t%s\n", o.Name, o.Doc)
				}
			}
			return w.Flush()
		},
	}
	a.jsonFlag(c, "a JSON list of formats")
	return c
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (a *app) version() *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "The version of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := "(devel)"
			goVersion := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				goVersion = info.GoVersion
				if info.Main.Version != "" {
					v = info.Main.Version
				}
			}
			if a.asJSON {
				return a.writeJSON(map[string]any{"version": v, "go": goVersion, "format_version": 1})
			}
			_, err := fmt.Fprintf(a.out, "colstore %s (%s), .cstore format 1\n", v, goVersion)
			return err
		},
	}
	a.jsonFlag(c, "as JSON")
	return c
}
