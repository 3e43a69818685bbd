package lint_test

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
	"testing"
)

// No exported signature of a public package speaks of a type that programs outside the module cannot name.
func TestSignaturesAreOfPublicTypes(t *testing.T) {
	fset, all := files(t)
	checked := 0
	for _, f := range all {
		if f.test || strings.HasPrefix(f.pkg, "internal/") || strings.HasPrefix(f.pkg, "cmd/") || f.file.Name.Name == "main" {
			continue
		}
		inner := map[string]bool{} // names of imported internal packages
		for _, imp := range f.file.Imports {
			if p, err := strconv.Unquote(imp.Path.Value); err == nil && strings.HasPrefix(p, module+"/internal/") {
				name := path.Base(p)
				if imp.Name != nil {
					name = imp.Name.Name
				}
				inner[name] = true
			}
		}
		check := func(what string, n ast.Node) {
			checked++
			ast.Inspect(n, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if pkg, ok := sel.X.(*ast.Ident); ok && inner[pkg.Name] {
					t.Errorf("%s: %s shows %s.%s, which is internal", fset.Position(sel.Pos()), what, pkg.Name, sel.Sel.Name)
				}
				return true
			})
		}
		for _, d := range f.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || isExportedReceiver(d.Recv)) {
					check(d.Name.Name, d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						checkType(s.Name.Name, s.Type, check)
					}
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d signatures found", checked)
	}
}

func isExportedReceiver(r *ast.FieldList) bool {
	t := r.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// checkType checks a type's definition; of a structure its exported fields.
func checkType(name string, x ast.Expr, check func(string, ast.Node)) {
	s, ok := x.(*ast.StructType)
	if !ok {
		check(name, x)
		return
	}
	for _, f := range s.Fields.List {
		exported := len(f.Names) == 0 // embedded
		for _, n := range f.Names {
			exported = exported || n.IsExported()
		}
		if exported {
			check(name, f.Type)
		}
	}
}
