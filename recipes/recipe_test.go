package recipes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
)

// The recipes that come with the package can be read, and say what they are about.
func TestShippedRecipes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.yaml")
	if err != nil || len(paths) < 2 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := parse(path, string(text), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		same(t, filepath.Join("testdata", "shipped", strings.TrimSuffix(path, ".yaml")+".txt"), describe(r)+"\n")
		if len(r.Warnings) > 0 || r.About == "" || len(r.Pipeline.Reports.Cutflow) == 0 {
			t.Errorf("%s: about %q, reports %v, warnings %v", path, r.About, r.Pipeline.Reports, r.Warnings)
		}
		for _, b := range r.Pipeline.Branches {
			if filepath.Dir(b.Output.Path) != "out" {
				t.Errorf("%s writes %s, which is not in out", path, b.Output.Path)
			}
		}
	}
}

// They run as they are, and give what the data hold.
func TestShippedRecipesRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		passing []int64
		outputs map[string]int64 // rows
	}{
		{"flights", []int64{77911, 34298, 4353}, map[string]int64{"late-flights.cstore": 4353, "late-flights.parquet": 4287}},
		{"weather", []int64{1940}, map[string]int64{"rough-weather.cstore": 1940}},
	}
	data, err := filepath.Abs("data")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(c.name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.Symlink(data, filepath.Join(dir, "data")); err != nil {
				t.Skip(err) // not every system lets anybody make one
			}
			r, err := parse(filepath.Join(dir, c.name+".yaml"), string(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			report, err := runtime.Run(t.Context(), r.Pipeline, nil)
			if err != nil {
				t.Fatal(r.Locate(err))
			}
			var passing []int64
			for _, cut := range report.Cutflow.Cuts {
				passing = append(passing, cut.Passing)
			}
			outputs := map[string]int64{}
			for _, o := range report.Outputs {
				outputs[filepath.Base(o.Path)] = o.Rows
			}
			if diff := cmp.Diff([]any{c.passing, c.outputs}, []any{passing, outputs}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Paths count from the recipe's folder, wherever that is and whatever characters its name has.
func TestLoadFromFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run[1] *")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skip(err) // not every file system takes such a name
	}
	text := `recipe: 1
from: {path: [in/a.cstore, "in/*.cstore", /abs/x.cstore, ../up.cstore], exclude: "*tmp*"}
to: out/b.cstore
report: {cutflow: c.json}
`
	path := filepath.Join(dir, "the recipe.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := recipes.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "the recipe" || r.Pipeline.Name != r.Name {
		t.Errorf("the name is %q, %q", r.Name, r.Pipeline.Name)
	}
	pattern := strings.NewReplacer("[", `\[`, "*", `\*`).Replace(dir)
	want := []string{
		dir + "/in/a.cstore", pattern + "/in/*.cstore", "/abs/x.cstore", filepath.Dir(dir) + "/up.cstore",
		pattern + "/*tmp*", dir + "/out/b.cstore", dir + "/c.json",
	}
	got := slices.Concat(r.Pipeline.Input.Paths, r.Pipeline.Input.Exclude, []string{r.Pipeline.Branches[0].Output.Path}, r.Pipeline.Reports.Cutflow)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	_, err := recipes.Load("nowhere.yaml", nil)
	if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != "nowhere.yaml" || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := recipes.Load(t.TempDir(), nil); err == nil {
		t.Error("a folder is no recipe")
	}
	_, err = parse("long.yaml", "recipe: 1\nabout: "+strings.Repeat("x", 1<<20)+"\n", nil)
	if err == nil || err.Error() != "long.yaml:1:1: error R105: a recipe has at most 1 MiB, this has 1048594 bytes" {
		t.Error(err)
	}
	_, err = parse("bytes.yaml", "recipe: 1\nabout: a\xffb\n", nil)
	if err == nil || !strings.Contains(err.Error(), "bytes.yaml:2:9: error R106: the byte 0xff is not UTF-8") {
		t.Error(err)
	}
}

// Scalars that YAML 1.1 and 1.2 read differently are text, or the numbers that both see, or refused by name.
func TestAmbiguousScalars(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/h_scalars.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = parse("h_scalars.yaml", string(text), nil)
	list, ok := errors.AsType[recipes.Errors](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Code+" "+strings.SplitN(e.Message, ",", 2)[0])
	}
	want := []string{
		`R110 the recipe has no "recipe"`, `R110 the recipe has no "from"`, `R110 the recipe has no "to"`,
		`R203 "mode" is 0755`, `R211 the parameter "empty" has no default and was given no value`, `R203 "big" is 1_000`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	good := strings.NewReplacer("0755", "755", "empty:", "empty: ''", "1_000", `"1_000"`).Replace(string(text))
	r, err := parse("h_scalars.yaml", "recipe: 1\nfrom: a.cstore\nto: b.cstore\n"+good, nil)
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]any{
		"country": "NO", "cut": 1000.0, "mode": int64(755), "flag": "on", "version": 1.1, "at": "12:30",
		"id": int64(9007199254740993), "hexid": int64(31), "empty": "", "quoted": "007", "big": "1_000",
	}
	if diff := cmp.Diff(params, r.Params); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
}

// tooLong is far above what reading any recipe takes, a tenth of a second, for machines that are busy.
const tooLong = 30 * time.Second

// Hostile nesting ends at once, in an error that says so.
func TestBombs(t *testing.T) {
	t.Parallel()
	const start = "recipe: 1\nfrom: a.cstore\nto: b.cstore\n"
	laughs := start + "x-0: &a0 [a, a, a, a, a, a, a, a, a, a]\n"
	chain := start + "x-0: &a0 [a]\n"
	merges := start + "x-0: &a0 {a: 1}\n"
	for i := range 60 {
		n, m := string(rune('0'+(i+1)/10))+string(rune('0'+(i+1)%10)), string(rune('0'+i/10))+string(rune('0'+i%10))
		if i == 0 {
			m = "0"
		}
		laughs += "x-" + n + ": &a" + n + " [" + strings.Repeat("*a"+m+", ", 9) + "*a" + m + "]\n"
		chain += "x-" + n + ": &a" + n + " [*a" + m + "]\n"
		merges += "x-" + n + ": &a" + n + " {<<: [*a" + m + ", *a" + m + "], k" + n + ": 1}\n"
	}
	wide := start + "x-0: &a {"
	for i := range 5000 {
		wide += fmt.Sprintf("k%d: v, ", i)
	}
	wide += "}\nx-1: {<<: [" + strings.Repeat("*a, ", 5000) + "*a]}\n"
	tests := []struct{ name, text, message string }{
		{"laughs", laughs, "aliases stand for more than 100000 values"},
		{"chain", chain, "aliases stand for aliases more than 50 times over"},
		{"merges", merges, "aliases stand for more than 100000 values"},
		{"wide merges", wide, "aliases stand for more than 100000 values"},
		{"steps", start + "x-a: &a " + "[" + strings.Repeat("a,", 1000) + "a]\nsteps:\n" + strings.Repeat("  - select: *a\n", 1000), "aliases stand for more than 100000 values"},
		{"cycle", start + "x-a: &a [*a]\n", "the alias *a is inside of what it stands for"},
		{"cycle by maps", start + "x-a: &a {b: {c: *a}}\n", "the alias *a is inside of what it stands for"},
		{"lists", start + "about: " + strings.Repeat("[", 100_000), "more than 100 deep"},
		{"maps", start + "about: " + strings.Repeat("{a: ", 100_000), "more than 100 deep"},
		{"items", start + "about:\n  " + strings.Repeat("- ", 100_000), "more than 100 deep"},
		{"keys", start + strings.Repeat("? ", 100_000), "more than 100 deep"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			_, err := parse("bomb.yaml", c.text, nil)
			took := time.Since(begin)
			if err == nil || !strings.Contains(err.Error(), "error R105: ") || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%.300v, want %q", err, c.message)
			}
			t.Logf("%d bytes in %v", len(c.text), took)
			if took > tooLong {
				t.Errorf("refusing %d bytes takes %v", len(c.text), took)
			}
		})
	}
}

// A long recipe ends soon, whatever is in it. These have a fifth of what a recipe may have.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const start = "recipe: 1\nfrom: a.cstore\nto: b.cstore\n"
	many := func(n int, piece string) string { return strings.Repeat(piece, n/5) }
	numbered := func(n int, piece string) string {
		var b strings.Builder
		for i := range n / 5 {
			fmt.Fprintf(&b, piece, i)
		}
		return b.String()
	}
	doubled := ""
	for i := range 60 {
		doubled += fmt.Sprintf("  p%d: ${p%d}${p%d}\n", i+1, i, i)
	}
	tests := []struct{ name, text string }{
		{"one key", start + "x-a: {" + many(100_000, "a: b, ") + "}\n"},
		{"unknown keys", start + numbered(60_000, "key%d: b\n")},
		{"unknown keys of a line", "{recipe: 1, from: a.cstore, " + numbered(60_000, "key%d: b, ") + "to: b.cstore}"},
		{"unknown steps", start + "steps: [" + numbered(60_000, "{s%d: b}, ") + "]\n"},
		{"unknown names", start + "params: {" + numbered(20_000, "p%d: 1, ") + "}\nname: \"" + many(60_000, "${q}") + "\"\n"},
		{"used params", start + "params: {" + numbered(20_000, "p%d: 1, ") + "}\nsteps:\n  - cuts: [" + numbered(20_000, "a > @p%d, ") + "]\n"},
		{"unused params", start + "params: {" + numbered(60_000, "p%d: 1, ") + "}\n"},
		{"doubled params", start + "params:\n  p0: x\n" + doubled + "\n"},
		{"columns and steps", "recipe: 1\nfrom: {path: a.cstore, columns: [" + numbered(50_000, "c%d, ") + "]}\nto: b.cstore\nsteps:\n" + many(20_000, "  - drop: c1\n")},
		{"columns and assigned", "recipe: 1\nfrom: {path: a.cstore, columns: [" + numbered(30_000, "c%d, ") + "]}\nto: b.cstore\nsteps:\n  - assign: {" + numbered(30_000, "d%d: c1, ") + "}\n"},
		{"columns and outputs", "recipe: 1\nfrom: {path: a.cstore, columns: [" + numbered(50_000, "c%d, ") + "]}\nto: [" + numbered(25_000, "o%d.cstore, ") + "]\n"},
		{"blanks", start + "about: \"a" + many(900_000, " ") + "b ${x}\"\n"},
		{"blank lines", start + "about: |" + many(300_000, "\n") + "  a ${x}\n" + many(300_000, "\n")},
		{"blank items", start + "x-a: [" + many(400_000, " ") + many(100_000, "a, ") + "]\n"},
		{"indicator", start + "about: |9\n" + many(500_000, " ") + "a ${x}\n"},
		{"folds", start + "about: >\n" + many(200_000, "  a\n") + "  ${x}\n"},
		{"escapes", start + "about: \"" + many(200_000, "\\x41") + "${x}\"\n"},
		{"number", start + "limits: {batch: " + many(1_000_000, "9") + "}\n"},
		{"expression", start + "steps: [where: \"" + many(250_000, "a + ") + "b\"]\n"},
		{"comments", start + many(500_000, "#\n")},
		{"quotes", start + "about: " + many(300_000, "'' ") + "\n"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			_, err := parse("hostile.yaml", c.text, nil)
			read := time.Since(begin)
			printed := 0
			if err != nil {
				printed = len(err.Error())
			}
			took := time.Since(begin)
			t.Logf("%d bytes read in %v, %d bytes printed in %v", len(c.text), read, printed, took-read)
			if took > tooLong {
				t.Errorf("%d bytes take %v", len(c.text), took)
			}
			if printed > 100_000 {
				t.Errorf("%d bytes are printed", printed)
			}
		})
	}
	lists := start + "params: {p: [" + many(5000, "1, ") + "]}\nsteps:\n  - cuts: [" + many(10_000, "a in @p, ") + "]\n"
	if _, err := parse("hostile.yaml", lists, nil); err == nil || !strings.Contains(err.Error(), "bring more than 1000000 values into expressions") {
		t.Errorf("%.300v", err)
	}
	texts := start + "params: {p: " + many(500_000, "x") + "}\nname: " + many(5000, "${p}") + "\n"
	if _, err := parse("hostile.yaml", texts, nil); err == nil || !strings.Contains(err.Error(), "what ${…} stands for is more than 16 MiB") {
		t.Errorf("%.300v", err)
	}
}

func TestErrorsAsJSON(t *testing.T) {
	t.Parallel()
	_, err := parse("j.yaml", "recipe: 1\nfrom: a.cstore\nto: b.cstore\nsteps:\n  - asign: {é: x}\n  - where: é > @p\n", nil)
	got, jerr := json.Marshal(err)
	if jerr != nil {
		t.Fatal(jerr)
	}
	want := `[{"file":"j.yaml","line":5,"column":5,"end_column":10,"code":"R102","severity":"error",` +
		`"message":"unknown step \"asign\"; did you mean \"assign\"?","hint":""},` +
		`{"file":"j.yaml","line":6,"column":16,"end_column":18,"code":"R303","severity":"error",` +
		`"message":"no parameter \"p\"; the recipe has no params","hint":""}]`
	if diff := cmp.Diff(want, strings.NewReplacer(`\u003e`, ">", `\u0026`, "&").Replace(string(got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every code has a meaning and is shown by at least one golden message.
func TestCodes(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txt" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^[^ ]+:\d+:\d+: (?:error|warning) ([RW]\d+): `).FindAllStringSubmatch(string(text), -1) {
			shown[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range recipes.Codes() {
		if text, ok := recipes.Explain(code); !ok || text == "" {
			t.Errorf("%s means nothing", code)
		}
		if !shown[code] {
			t.Errorf("no golden message has the code %s", code)
		}
		delete(shown, code)
	}
	if len(shown) > 0 {
		t.Errorf("codes without a meaning: %v", shown)
	}
	if _, ok := recipes.Explain("R999"); ok {
		t.Error("R999 has a meaning")
	}
}
