package root

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// writing is how a TTree is written.
func writing() *format.Writing {
	return &format.Writing{
		Type:   typeName,
		Create: create,
		Options: []format.Option{
			{
				Name: "compression", Doc: "codec of the baskets, with its level: zlib (levels 1 to 9), zstd (1 to 22), lz4 (1 to 9), lzma, none",
				Kind: format.OptionText, Default: defaultCompression, Check: checkCompression,
			},
			{Name: "layout", Doc: "how the table is laid out", Kind: format.OptionText, Default: "ttree", Choices: []string{"ttree"}},
			{Name: "tree", Doc: "the name of the tree", Kind: format.OptionText, Default: defaultTree, Check: checkTree},
		},
	}
}

// defaultTree is the name of a tree that nobody has named.
const defaultTree = "events"

// checkTree refuses names under which a tree would not be found: others take "/" for folders and ";" for versions.
func checkTree(v any) error {
	name := v.(string)
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if name == "" || strings.ContainsAny(name, "/;") || strings.ContainsFunc(name, control) || !utf8.ValidString(name) || len(name) > maxTreeName {
		return fmt.Errorf("%w: %q cannot be the name of a tree; it is text of at most %d bytes without / ; and control characters",
			colstore.ErrValue, name, maxTreeName)
	}
	return nil
}

const (
	maxTreeName   = 1 << 10
	maxBranchName = 1 << 12 // so that the key of a basket, which holds it, is as short as its length field wants
)

// A leafKind is how ROOT calls the type of a branch's values: the letter in titles, the end of the class's name, and whether
// the values are unsigned.
type leafKind struct {
	letter   byte
	class    string
	unsigned bool
}

// leafKinds are the dtypes that a branch can have.
var leafKinds = map[colstore.DType]leafKind{
	colstore.Bool:    {'O', "TLeafO", false},
	colstore.Int8:    {'B', "TLeafB", false},
	colstore.Int16:   {'S', "TLeafS", false},
	colstore.Int32:   {'I', "TLeafI", false},
	colstore.Int64:   {'L', "TLeafL", false},
	colstore.Uint8:   {'b', "TLeafB", true},
	colstore.Uint16:  {'s', "TLeafS", true},
	colstore.Uint32:  {'i', "TLeafI", true},
	colstore.Uint64:  {'l', "TLeafL", true},
	colstore.Float32: {'F', "TLeafF", false},
	colstore.Float64: {'D', "TLeafD", false},
}

// typeName returns what a column of a dtype becomes.
//
// Errors: colstore.ErrType with a remedy.
func typeName(t colstore.DType) (string, error) {
	if k, ok := leafKinds[t.Native()]; ok {
		return "branch /" + string(k.letter), nil
	}
	remedy := "leave it out"
	switch {
	case t.IsTime():
		remedy = "cast it to int64 first, which are its ticks, or leave it out"
	case t.Native() == colstore.Float16:
		remedy = "cast it to float32 first"
	}
	return "", fmt.Errorf("%w: a TTree has no branch of %s; %s", colstore.ErrType, t, remedy)
}

func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	fail := func(column string, err error) (colstore.Sink, error) {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Column: column, Err: fsx.Bare(err)}
	}
	if r.Schema.Len() == 0 {
		return fail("", fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	names, changed := branchNames(r.Schema.Names())
	w := &writer{path: r.Path, schema: r.Schema, changed: changed}
	w.layout = layoutOf(r.Schema)
	tree := r.Options.Text("tree")
	for i, f := range r.Schema.All() {
		if len(names[i]) > maxBranchName {
			return fail(f.Name, fmt.Errorf("%w: the name of a branch has at most %d bytes; rename the column", colstore.ErrValue, maxBranchName))
		}
		w.branches = append(w.branches, newBranch(tree, names[i], leafKinds[f.Type.Native()], f.Type.Size(), w.layout))
	}
	m, err := parseMethod(r.Options.Text("compression"))
	if err != nil {
		return fail("", fmt.Errorf("%w: option \"compression\": %w", colstore.ErrOption, err))
	}
	w.tree, w.method = tree, m
	if err := w.start(max(1, min(r.Threads, r.Schema.Len()))); err != nil {
		return fail("", err)
	}
	if w.staged, err = fsx.Stage(fsx.Of(ctx), r.Path, fsx.StageOptions{Replace: r.Replace, Mkdirs: r.Mkdirs, Lock: r.Lock}); err != nil {
		return nil, err
	}
	w.file = newOutFile(w.staged, m.code())
	return w, nil
}
