package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/colstore/colstore-go"

// arrows lists for each package all packages of this module that it may import: docs/architecture.md, "Import arrows". A
// name ending in /... is the package and everything below it; everybody may import the root and internal/invariants.
var arrows = map[string][]string{
	"":                     {},
	"internal/invariants":  {},
	"internal/half":        {},
	"internal/query":       {},
	"internal/calendar":    {},
	"internal/fault":       {},
	"internal/text":        {"internal/calendar", "internal/decimal", "internal/half"},
	"internal/parallel":    {"internal/fault", "numa"},
	"internal/fsx":         {},
	"internal/fsx/fsxtest": {"internal/fsx"},
	"internal/mmap":        {"internal/fault", "numa"},
	"internal/memory":      {},
	"internal/calibrate":   {"kernel", "internal/fsx", "internal/memory", "internal/parallel"},
	"internal/golden":      {},
	"internal/lint":        {},
	"internal/soak":        {},
	"kernel":               {"internal/half"},
	"ops/hbook":            {"ops"},
	"ops":                  {"kernel", "internal/text", "internal/calendar", "internal/half", "internal/memory"},
	"frame":                {"ops", "kernel", "internal/query", "internal/text", "internal/calendar", "internal/fault", "internal/memory", "internal/parallel"},
	"cstore":               {"kernel", "numa", "internal/mmap", "internal/fsx", "internal/spool", "internal/parallel", "internal/fault", "internal/text"},
	"source/format":        {"kernel", "internal/fsx", "internal/text"},
	"internal/spool":       {"kernel", "internal/fsx", "internal/fault"},
	"internal/decimal":     {},
	"internal/inflate":     {},
	"internal/format/*":    {"source/format", "kernel", "internal/fsx", "internal/spool", "internal/decimal", "internal/inflate", "internal/mmap", "internal/parallel", "internal/text", "internal/calendar", "internal/half", "internal/fault"},
	"internal/format/all":  {"source/format", "internal/format/*"},
	"source":               {"ops", "source/format", "internal/format/all", "internal/fsx", "kernel", "internal/fault", "internal/parallel", "internal/memory", "internal/calibrate"},
	"source/diff":          {"kernel", "internal/calendar", "internal/fault", "internal/parallel", "internal/text"},
	"source/formattest":    {"source", "sink", "source/format", "internal/fsx", "internal/fsx/fsxtest"},
	"internal/columnar":    {"source/format", "kernel", "internal/text"},
	"internal/arrow":       {"internal/columnar", "internal/fault"},
	"source/arrow":         {"internal/arrow", "source/format"},
	"sink/arrow":           {"internal/arrow"},
	"internal/plot":        {"ops", "ops/hbook", "internal/text"},
	"sink":                 {"cstore", "source/format", "internal/format/all", "internal/fsx"},
	"pipeline":             {"frame", "internal/fsx"},
	"runtime":              {"pipeline", "frame", "ops", "source", "sink", "source/format", "numa", "internal/fsx", "internal/fault", "internal/memory"},
	"recipes":              {"pipeline", "frame", "ops", "source", "sink", "internal/fsx", "internal/query", "internal/text"},
	"cmd/colstore":         {"internal/fsx", "cstore", "frame", "ops", "pipeline", "recipes", "runtime", "sink", "source", "source/diff", "internal/fault", "source/format", "internal/plot", "internal/text", "internal/calibrate", "kernel", "numa"},
	"benchmark":            {"cstore", "frame", "kernel", "ops", "pipeline", "runtime", "sink", "source", "internal/memory"},
	"benchmark/meter":      {},
	"numa":                 {},
}

// extra are arrows of single packages beyond their pattern.
var extra = map[string][]string{
	"internal/format/cstore":       {"cstore"},
	"internal/format/feather":      {"internal/columnar"},
	"internal/format/feather/meta": {"internal/columnar"},
}

// foreign lists the only packages that may import a foreign module.
var foreign = map[string][]string{
	"github.com/klauspost/compress": {"internal/format/parquet/...", "internal/format/npz", "internal/format/feather/...", "internal/format/root/..."},
	"github.com/pierrec/lz4":        {"internal/format/parquet/...", "internal/format/feather/...", "internal/format/root/..."},
	"github.com/ulikunitz/xz":       {"internal/format/root/..."},
	"github.com/cespare/xxhash":     {"internal/format/root/..."},
	"github.com/andybalholm/brotli": {"internal/format/parquet/..."},
	"go.yaml.in/yaml":               {"recipes"},
	"go-hep.org/x/hep":              {"ops/hbook", "internal/plot"},
	"gonum.org/v1/plot":             {"internal/plot"},
	"codeberg.org/go-pdf":           {"internal/plot"},
	"github.com/spf13":              {"cmd/colstore"},
	"github.com/vbauerster/mpb":     {"cmd/colstore"},
	"golang.org/x/term":             {"cmd/colstore"},
	"github.com/bmatcuk/doublestar": {"internal/fsx"},
	"github.com/apache/arrow":       {"internal/arrow", "source/arrow", "sink/arrow"},
	"golang.org/x/sync":             {"internal/parallel", "runtime"},
	"golang.org/x/sys":              {"internal/fsx", "internal/memory", "internal/mmap", "cstore", "kernel", "numa"},
}

// testOnly are modules that only tests import.
var testOnly = []string{"github.com/google/go-cmp", "pgregory.net/rapid"}

// inTests lists the packages whose tests import a foreign module that the package itself may not.
var inTests = map[string][]string{"go-hep.org/x/hep": {"internal/format/root"}}

// goFile is a parsed file of this module.
type goFile struct {
	pkg, name string // folder below the module, file name
	test      bool
	file      *ast.File
}

func files(t *testing.T) (*token.FileSet, []goFile) {
	t.Helper()
	root := filepath.Join("..", "..")
	fset := token.NewFileSet()
	var out []goFile
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); p != root && (strings.HasPrefix(n, ".") || strings.HasPrefix(n, "_") || n == "testdata") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && p != root {
				return filepath.SkipDir // a nested module
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		if pkg == "." {
			pkg = ""
		}
		out = append(out, goFile{pkg, d.Name(), strings.HasSuffix(p, "_test.go"), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, out
}

// allowed returns what a package may import; ok is false for a package that the table does not know.
func allowed(pkg string) (list []string, ok bool) {
	if list, ok = arrows[pkg]; !ok {
		for p := pkg; p != "." && p != ""; p = path.Dir(p) {
			if list, ok = arrows[path.Dir(p)+"/*"]; ok {
				// A package below a format's own may be imported by it.
				list = append(slices.Clone(list), path.Dir(p)+"/"+path.Base(p)+"/...")
				if parts := strings.Split(pkg, "/"); len(parts) > 3 {
					list = append(list, strings.Join(parts[:3], "/")+"/...")
				}
				break
			}
		}
	}
	return append(slices.Clone(list), extra[pkg]...), ok
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == base
	}
	return pattern == pkg
}

func TestImportArrows(t *testing.T) {
	_, all := files(t)
	if len(all) < 100 {
		t.Fatalf("only %d files found", len(all))
	}
	for _, f := range all {
		list, known := allowed(f.pkg)
		if !known {
			t.Errorf("package %q is not in the table of arrows", f.pkg)
			continue
		}
		if f.test {
			continue // tests look from outside
		}
		for _, imp := range f.file.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			inner, ours := strings.CutPrefix(p, module)
			inner = strings.TrimPrefix(inner, "/")
			if !ours || inner == "" || inner == "internal/invariants" {
				continue
			}
			if !slices.ContainsFunc(list, func(a string) bool { return matches(a, inner) }) {
				t.Errorf("%s/%s imports %s, for which there is no arrow", f.pkg, f.name, inner)
			}
		}
	}
}

func TestForeignModulesStayBehindTheirBridge(t *testing.T) {
	_, all := files(t)
	for _, f := range all {
		for _, imp := range f.file.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			if !strings.Contains(strings.Split(p, "/")[0], ".") || strings.HasPrefix(p, module) {
				continue
			}
			if f.test && slices.ContainsFunc(testOnly, func(m string) bool { return strings.HasPrefix(p, m) }) {
				continue
			}
			ok := false
			for m, users := range foreign {
				if strings.HasPrefix(p, m) {
					ok = slices.ContainsFunc(users, func(u string) bool { return matches(u, f.pkg) }) ||
						f.test && slices.Contains(inTests[m], f.pkg)
				}
			}
			if !ok {
				t.Errorf("%s/%s imports %s, which has no place there", f.pkg, f.name, p)
			}
		}
	}
}

// What is shown as a format from outside the module must be one: it imports nothing that is not public.
func TestOutsideFormatImportsPublicPackagesOnly(t *testing.T) {
	_, all := files(t)
	shown := 0
	for _, f := range all {
		if f.pkg != "source/formattest" || !f.test {
			continue
		}
		shown++
		if f.file.Name.Name != "formattest_test" {
			t.Errorf("%s is in package %s", f.name, f.file.Name.Name)
		}
		for _, imp := range f.file.Imports {
			if strings.Contains(imp.Path.Value, "/internal/") {
				t.Errorf("%s imports %s", f.name, imp.Path.Value)
			}
		}
	}
	if shown < 3 {
		t.Errorf("only %d files found", shown)
	}
}

// Every package says what its one job is.
func TestEveryPackageIsDocumented(t *testing.T) {
	_, all := files(t)
	doc := map[string]bool{}
	for _, f := range all {
		if !f.test {
			doc[f.pkg] = doc[f.pkg] || f.file.Doc != nil && strings.HasPrefix(f.file.Doc.Text(), docStart(f))
		}
	}
	for pkg, ok := range doc {
		if !ok {
			t.Errorf("package %q has no package comment", pkg)
		}
	}
}

func docStart(f goFile) string {
	if f.file.Name.Name == "main" {
		return "Command "
	}
	return "Package " + f.file.Name.Name + " "
}

// An error in hand is wrapped, so that callers can ask what it is.
func TestErrorsAreWrapped(t *testing.T) {
	fset, all := files(t)
	for _, f := range all {
		if f.test {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Errorf" {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "fmt" {
				return true
			}
			format, ok := call.Args[0].(*ast.BasicLit)
			if !ok || strings.Contains(format.Value, "%w") {
				return true
			}
			for _, a := range call.Args[1:] {
				if id, ok := a.(*ast.Ident); ok && id.Name == "err" {
					t.Errorf("%s: fmt.Errorf gets an error without %%w", fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
}

// The package called runtime must not be mistaken for the standard library's: they share no exported name.
func TestRuntimeSharesNoNameWithTheStandardLibrary(t *testing.T) {
	_, all := files(t)
	ours := map[string]bool{}
	for _, f := range all {
		if f.pkg != "runtime" || f.test {
			continue
		}
		for _, d := range f.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					ours[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						ours[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							ours[n.Name] = true
						}
					}
				}
			}
		}
	}
	// go doc -short runtime, the exported names of Go 1.26.
	for n := range strings.FieldsSeq(`Compiler GOARCH GOOS MemProfileRate AddCleanup BlockProfile Breakpoint CPUProfile Caller Callers
		CallersFrames Cleanup Error Frame Frames Func FuncForPC GC GOMAXPROCS GOROOT Goexit GoroutineProfile Gosched KeepAlive LockOSThread
		MemProfile MemProfileRecord MemStats MutexProfile NumCPU NumCgoCall NumGoroutine PanicNilError Pinner ReadMemStats ReadTrace SetBlockProfileRate
		SetCPUProfileRate SetCgoTraceback SetDefaultGOMAXPROCS SetFinalizer SetMutexProfileFraction Stack StackRecord StartTrace StopTrace ThreadCreateProfile
		TypeAssertionError UnlockOSThread Version BlockProfileRecord`) {
		if ours[n] {
			t.Errorf("runtime.%s is also a name of the standard library's runtime", n)
		}
	}
	if len(ours) < 10 {
		t.Errorf("only %d names found", len(ours))
	}
}

// Every package says its one job in a file of its own.
func TestPackageDocs(t *testing.T) {
	_, all := files(t)
	documented := map[string]bool{}
	for _, f := range all {
		if !f.test {
			documented[f.pkg] = documented[f.pkg] || f.name == "doc.go" && f.file.Doc != nil
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("%q has no doc.go with a package comment", pkg)
		}
	}
}
