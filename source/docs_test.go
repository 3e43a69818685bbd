package source_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

var update = flag.Bool("update", false, "write the tables of docs/guide/formats.md anew")

// The tables of the guide are those that the code uses: what is between "<!-- formats -->" or "<!-- types: NAME read -->"
// and "<!-- end -->" is made of the formats' descriptions.
func TestGuideHasTheTablesOfTheCode(t *testing.T) {
	path := filepath.Join("..", "docs", "guide", "formats.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	rest, tables := string(old), map[string]bool{}
	for {
		begin := strings.Index(rest, "<!-- ")
		if begin < 0 {
			break
		}
		mark, after, ok := strings.Cut(rest[begin:], "\n")
		_, tail, ended := strings.Cut(after, "<!-- end -->\n")
		if !ok || !ended {
			t.Fatalf("%s has no end", mark)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(mark, "<!-- "), " -->")
		tables[name] = true
		b.WriteString(rest[:begin] + mark + "\n" + guideTable(t, name) + "<!-- end -->\n")
		rest = tail
	}
	b.WriteString(rest)
	for _, f := range source.Formats() {
		if f.Name == "tsv" || f.Name == "jsonl" {
			continue // they are told with csv and json
		}
		if f.ReadTypes() != nil && !tables["types: "+f.Name+" read"] || f.WriteTypes() != nil && !tables["types: "+f.Name+" write"] {
			t.Errorf("the guide lacks tables of %s", f.Name)
		}
	}
	switch {
	case b.String() == string(old):
	case *update:
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have the tables of the code; go test ./source -run Guide -update writes them", path)
	}
}

// guideTable returns a table by the name that the guide gives it.
func guideTable(t *testing.T, name string) string {
	t.Helper()
	if name == "formats" {
		return listOfFormats()
	}
	words := strings.Fields(name)
	for _, f := range source.Formats() {
		if len(words) != 3 || words[0] != "types:" || f.Name != words[1] {
			continue
		}
		switch words[2] {
		case "read":
			return tableOf("| in the file | dtype |\n|---|---|\n", f.ReadTypes(), func(r format.TypeRow) (string, string) { return r.Foreign, r.DType })
		case "write":
			return tableOf("| dtype | in the file |\n|---|---|\n", f.WriteTypes(), func(r format.TypeRow) (string, string) { return r.DType, r.Foreign })
		}
	}
	t.Fatalf("the guide asks for a table %q", name)
	return ""
}

func tableOf(head string, rows []format.TypeRow, cells func(format.TypeRow) (string, string)) string {
	for _, r := range rows {
		a, b := cells(r)
		head += fmt.Sprintf("| %s | %s |\n", a, b)
	}
	return head
}

func listOfFormats() string {
	out := "| format | extensions | read | written | |\n|---|---|---|---|---|\n"
	yes := map[bool]string{true: "yes", false: "no"}
	for _, f := range source.Formats() {
		if f.Name == registered {
			continue // by another test
		}
		out += fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", f.Name, strings.Join(f.Extensions, "` `"), yes[f.Read != nil], yes[f.Write != nil], f.Doc)
	}
	return out
}
