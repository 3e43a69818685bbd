package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

type optionJSON struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`
	Choices []string `json:"choices,omitempty"`
}

type typeJSON struct {
	Foreign string `json:"type"`
	DType   string `json:"dtype"`
}

type formatJSON struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Extensions []string     `json:"extensions"`
	Read       bool         `json:"read"`
	Write      bool         `json:"write"`
	ReadWith   []optionJSON `json:"read_options"`
	WriteWith  []optionJSON `json:"write_options"`
	// What is read and written as what; empty where every dtype is kept as it is.
	ReadTypes  []typeJSON `json:"read_types"`
	WriteTypes []typeJSON `json:"write_types"`
}

func describe(f source.Format) formatJSON {
	return formatJSON{
		f.Name, f.Doc, f.Extensions, f.Read != nil, f.Write != nil, optionsJSON(f.ReadOptions()), optionsJSON(f.WriteOptions()),
		typesJSON(f.ReadTypes()), typesJSON(f.WriteTypes()),
	}
}

func typesJSON(rows []format.TypeRow) []typeJSON {
	out := []typeJSON{}
	for _, r := range rows {
		out = append(out, typeJSON{r.Foreign, r.DType})
	}
	return out
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
		Use:   "formats [NAME]",
		Short: "What can be read and written, with which options, and what becomes of dtypes",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.oneFormat(args[0])
			}
			if a.asJSON {
				out := []formatJSON{}
				for _, f := range source.Formats() {
					out = append(out, describe(f))
				}
				return a.writeJSON(out)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "format\textensions\treads\twrites\t")
			for _, f := range source.Formats() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", f.Name, strings.Join(f.Extensions, " "), yes(f.Read != nil), yes(f.Write != nil), f.Doc)
				for _, o := range f.ReadOptions() {
					fmt.Fprintf(w, "\t\t%s\t\t%s\n", o.Name, o.Doc)
				}
				for _, o := range f.WriteOptions() {
					fmt.Fprintf(w, "\t\t\t%s\t%s\n", o.Name, o.Doc)
				}
			}
			return w.Flush()
		},
	}
	a.jsonFlag(c, "a JSON list of formats")
	return c
}

// oneFormat shows the options of a format, and what is read and written as what.
func (a *app) oneFormat(name string) error {
	var names []string
	for _, f := range source.Formats() {
		names = append(names, f.Name)
		if f.Name != name {
			continue
		}
		if a.asJSON {
			return a.writeJSON(describe(f))
		}
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "%s: %s\nextensions: %s\n", f.Name, f.Doc, strings.Join(f.Extensions, " "))
		optionLines(w, "reading", f.ReadOptions())
		optionLines(w, "writing", f.WriteOptions())
		switch {
		case f.ReadTypes() != nil:
			fmt.Fprintln(w, "\nread as")
			for _, r := range f.ReadTypes() {
				fmt.Fprintf(w, "  %s\t%s\n", r.Foreign, r.DType)
			}
		case f.Read != nil:
			fmt.Fprintln(w, "\nevery dtype is read as it is")
		}
		switch {
		case f.WriteTypes() != nil:
			fmt.Fprintln(w, "\nwritten as")
			for _, r := range f.WriteTypes() {
				if strings.HasPrefix(r.Foreign, format.Refused) {
					fmt.Fprintf(w, "%s: %s\n", r.Foreign, r.DType)
					continue
				}
				fmt.Fprintf(w, "  %s\t%s\n", r.DType, r.Foreign)
			}
		case f.Write != nil:
			fmt.Fprintln(w, "\nevery dtype is written as it is")
		}
		return w.Flush()
	}
	return usagef("no format %q%s", name, colstore.Suggest(name, names))
}

func optionLines(w *tabwriter.Writer, verb string, options []format.Option) {
	if len(options) == 0 {
		return
	}
	fmt.Fprintf(w, "\noptions of %s\n", verb)
	for _, o := range options {
		fmt.Fprintf(w, "  %s\t%v\t%s\n", o.Name, o.Default, o.Doc)
	}
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
