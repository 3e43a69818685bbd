package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	goruntime "runtime"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

func defaultWorkers() int { return goruntime.GOMAXPROCS(0) }

// stdout is the -o of commands that print to standard output what they would write to a file; they have it as an annotation.
const stdout = "-"

// checkOutput refuses standard output as the -o of a command that writes a file in place, which would be one called "-".
func checkOutput(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("output")
	if f == nil || f.Value.String() != stdout {
		return nil
	}
	if _, ok := cmd.Annotations[stdout]; ok {
		return nil
	}
	return usagef(`-o -: an output is written whole and then put in its place, which standard output is not; "colstore cat" prints rows, hist --json a histogram, and ./- is a file of that name`)
}

// writeJSON prints a value as one line of JSON.
func (a *app) writeJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false) // dtypes have a "<"
	return e.Encode(v)
}

// buffered returns a buffer before standard output and the function that empties it.
func (a *app) buffered() (*bufio.Writer, func() error) {
	w := bufio.NewWriterSize(a.out, 64<<10)
	return w, w.Flush
}

// appendObject appends row i of a batch as a JSON object.
func appendObject(dst []byte, names [][]byte, b *colstore.Batch, i int) []byte {
	dst = append(dst, '{')
	for j, name := range names {
		if j > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, name...), ": "...)
		dst = text.AppendJSON(dst, b.At(j), i, text.JSONStyle{})
	}
	return append(dst, '}')
}

// quotedNames returns the names of a schema as JSON strings.
func quotedNames(s *colstore.Schema) [][]byte {
	out := make([][]byte, s.Len())
	for i, f := range s.All() {
		out[i] = text.AppendJSONString(nil, f.Name)
	}
	return out
}

// commas groups the digits of a number: 336,776.
func commas(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns a count and its noun.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return commas(n) + " " + many
}
