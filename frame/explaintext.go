package frame

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String returns the explanation as text for a terminal.
func (e *Explanation) String() string {
	var b strings.Builder
	section := func(format string, args ...any) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	section("steps")
	width := len(fmt.Sprint(len(e.Steps)))
	for i, s := range e.Steps {
		fmt.Fprintf(&b, "  %*d  %s\n", width, i+1, s)
	}
	section("reads %d of %d columns, %d bytes a row", len(e.Inputs), e.SourceColumns, e.BytesIn)
	table(&b, e.Inputs, func(c ExplainedColumn) []string { return []string{c.Name, c.DType} })
	section("gives %s, %d bytes a row; a batch holds %d bytes a row beside its input", counted(len(e.Columns), "column"), e.BytesOut, e.BytesHeld)
	table(&b, e.Columns, func(c ExplainedColumn) []string { return []string{c.Name, c.DType, c.Value} })
	switch {
	case e.Copied:
		b.WriteString("  the bytes of the columns are copied from file to file; nothing is decoded\n")
	case e.Passthrough:
		b.WriteString("  the rows are passed through as they are\n")
	}
	value := func(v ExplainedValue) []string {
		if v.Value == "" {
			return []string{v.Operation}
		}
		return []string{v.Value, v.DType, v.Operation, v.Expression}
	}
	if len(e.Applied) > 0 {
		section("for every row, in whole batches")
		table(&b, e.Applied, func(v ExplainedValue) []string { return []string{v.Operation, v.Expression} })
	}
	if len(e.Dense) > 0 {
		section("for every row, in chunks of %d", e.ChunkRows)
		table(&b, e.Dense, value)
	}
	if len(e.Survivors) > 0 {
		stage := "for the survivors of each chunk"
		if len(e.Dense) == 0 {
			stage = fmt.Sprintf("for every row, in chunks of %d", e.ChunkRows)
		}
		section("%s", stage)
		table(&b, e.Survivors, value)
	}
	if e.BytesWork > 0 {
		fmt.Fprintf(&b, "  intermediate values take %d bytes a row of a chunk\n", e.BytesWork)
	}
	if len(e.Shared) > 0 {
		section("computed once, used more than once")
		table(&b, e.Shared, func(s ExplainedSharing) []string {
			return []string{s.Value, counted(s.Uses, "use"), s.Expression}
		})
	}
	section("left to the source")
	for _, p := range e.PushedDown {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	if e.Skipped != nil {
		section("left out by statistics: %s", e.Skipped)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table prints rows of cells, aligned, two blanks from the left and between.
func table[T any](b *strings.Builder, rows []T, cells func(T) []string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(cells(r), "\t"))
	}
	_ = w.Flush() // a strings.Builder does not fail
	for line := range strings.Lines(text.String()) {
		b.WriteString("  " + strings.TrimRight(line, " \n") + "\n")
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
