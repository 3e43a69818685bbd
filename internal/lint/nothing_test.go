package lint_test

import (
	"context"
	"fmt"
	"go/ast"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/numa"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/diff"
)

// callable are all exported functions with parameters of the packages that programs call, but kernel, whose contract is
// that of copy and append.
var callable = map[string]any{
	"colstore.NewBatch":        colstore.NewBatch,
	"colstore.NewOwnedBatch":   colstore.NewOwnedBatch,
	"colstore.Stack":           colstore.Stack,
	"colstore.NewOwnedBatches": colstore.NewOwnedBatches,
	"colstore.NewColumn":       colstore.NewColumn,
	"colstore.RawColumn":       colstore.RawColumn,
	"colstore.Wrap":            colstore.Wrap[float64],
	"colstore.Values":          colstore.Values[float64],
	"colstore.CopyOf":          colstore.CopyOf[float64],
	"colstore.Locate":          colstore.Locate,
	"colstore.BytesOf":         colstore.BytesOf,
	"colstore.TextOf":          colstore.TextOf,
	"colstore.DatetimeOf":      colstore.DatetimeOf,
	"colstore.TimedeltaOf":     colstore.TimedeltaOf,
	"colstore.ParseDType":      colstore.ParseDType,
	"colstore.ParseCode":       colstore.ParseCode,
	"colstore.At":              colstore.At,
	"colstore.ParseLockPolicy": colstore.ParseLockPolicy,
	"colstore.Name":            colstore.Name,
	"colstore.BatchOf":         colstore.BatchOf,
	"colstore.TextColumn":      colstore.TextColumn,
	"colstore.BytesColumn":     colstore.BytesColumn[string],
	"colstore.TimeColumn":      colstore.TimeColumn,
	"colstore.NewScalar":       colstore.NewScalar,
	"colstore.ScalarOf":        colstore.ScalarOf[float64],
	"colstore.BytesScalar":     colstore.BytesScalar,
	"colstore.TextScalar":      colstore.TextScalar,
	"colstore.AppendText":      colstore.AppendText,
	"colstore.TimeScalar":      colstore.TimeScalar,
	"colstore.ScalarAt":        colstore.ScalarAt,
	"colstore.NewSchema":       colstore.NewSchema,
	"colstore.MustSchema":      colstore.MustSchema,
	"colstore.NoColumn":        colstore.NoColumn,
	"colstore.ParseByteSize":   colstore.ParseByteSize,
	"colstore.ParseCount":      colstore.ParseCount,
	"colstore.GroupRows":       colstore.GroupRows,
	"colstore.Suggest":         colstore.Suggest,
	"frame.DiffCutflows":       frame.DiffCutflows,
	"frame.ParseShow":          frame.ParseShow,
	"frame.Col":                frame.Col,
	"frame.Lit":                frame.Lit,
	"frame.Call":               frame.Call,
	"frame.CallFunc":           frame.CallFunc,
	"frame.From":               frame.From,
	"frame.Named":              frame.Named,
	"frame.Weighted":           frame.Weighted,
	"frame.Parse":              frame.Parse,
	"frame.MustParse":          frame.MustParse,
	"frame.Prefix":             frame.Prefix,
	"frame.NewPreview":         frame.NewPreview,
	"frame.BindSet":            frame.BindSet,
	"source.Beside":            source.Beside,
	"source.ParseMismatch":     source.ParseMismatch,
	"source.Concat":            source.Concat,
	"source.LeftOut":           source.LeftOut,
	"source.Register":          source.Register,
	"source.FormatName":        source.FormatName,
	"source.Paths":             source.Paths,
	"source.ValuesInto":        source.ValuesInto[float64],
	"source.Memory":            source.Memory,
	"source.Values":            source.Values[float64],
	"source.Strings":           source.Strings,
	"source.Row":               source.Row,
	"source.Rows":              source.Rows,
	"source.Slice":             source.Slice,
	"source.From":              source.From,
	"source.To":                source.To,
	"source.Mask":              source.Mask,
	"source.Where":             source.Where,
	"source.ParseSelection":    source.ParseSelection,
	"source.ParseJagged":       source.ParseJagged,
	"source.Find":              source.Find,
	"source.Open":              source.Open,
	"source.OpenPath":          source.OpenPath,
	"source.FromStructs":       source.FromStructs[struct{ X float64 }],
	"source.Structs":           source.Structs[struct{ X float64 }],
	"source.StructsInto":       source.StructsInto[struct{ X float64 }],
	"source.ViewOf":            source.ViewOf,
	"sink.CheckApart":          sink.CheckApart,
	"sink.Published":           sink.Published,
	"sink.Create":              sink.Create,
	"sink.Copies":              sink.Copies,
	"sink.Check":               sink.Check,
	"sink.FormatOf":            sink.FormatOf,
	"sink.Stream":              sink.Stream,
	"ops.Count":                ops.Count,
	"ops.AggByName":            ops.AggByName,
	"ops.Min":                  ops.Min,
	"ops.Max":                  ops.Max,
	"ops.Sum":                  ops.Sum,
	"ops.Mean":                 ops.Mean,
	"ops.Var":                  ops.Var,
	"ops.Std":                  ops.Std,
	"ops.CastType":             ops.CastType,
	"ops.Cast":                 ops.Cast,
	"ops.CastWith":             ops.CastWith,
	"ops.Fold":                 ops.Fold,
	"ops.Typed":                ops.Typed,
	"ops.Vectorized":           ops.Vectorized,
	"ops.Register":             ops.Register,
	"ops.Lookup":               ops.Lookup,
	"ops.Fuse":                 ops.Fuse,
	"ops.FuseSquares":          ops.FuseSquares,
	"ops.AxisAround":           ops.AxisAround,
	"ops.Hist1D":               ops.Hist1D,
	"ops.Hist2D":               ops.Hist2D,
	"ops.FiniteMin":            ops.FiniteMin,
	"ops.FiniteMax":            ops.FiniteMax,
	"ops.Constant":             ops.Constant,
	"ops.Truth":                ops.Truth,
	"ops.Map1":                 ops.Map1[float64, float64],
	"ops.Map2":                 ops.Map2[float64, float64, bool],
	"ops.Member":               ops.Member,
	"ops.Promote":              ops.Promote,
	"ops.Quantile":             ops.Quantile,
	"ops.Median":               ops.Median,
	"ops.ValidBounds":          ops.ValidBounds,
	"ops.TruthRange":           ops.TruthRange,
	"ops.CastRange":            ops.CastRange,
	"ops.NewFloatSum":          ops.NewFloatSum,
	"pipeline.Convert":         pipeline.Convert,
	"pipeline.OutputName":      pipeline.OutputName,
	"runtime.RunAll":           runtime.RunAll,
	"runtime.Open":             runtime.Open,
	"runtime.Prepare":          runtime.Prepare,
	"runtime.Run":              runtime.Run,
	"runtime.Batches":          runtime.Batches,
	"runtime.Cutflow":          runtime.Cutflow,
	"runtime.Reduce":           runtime.Reduce,
	"runtime.Cutflows":         runtime.Cutflows,
	"runtime.Write":            runtime.Write,
	"runtime.WriteFile":        runtime.WriteFile,
	"recipes.Explain":          recipes.Explain,
	"recipes.Load":             recipes.Load,
	"recipes.Parse":            recipes.Parse,
	"numa.Bound":               numa.Bound,
	"numa.BinderOf":            numa.BinderOf,
	"numa.Bind":                numa.Bind,
	"numa.ParsePolicy":         numa.ParsePolicy,
	"numa.ReadFrom":            numa.ReadFrom,
	"numa.HugePages":           numa.HugePages,
	"cstore.NewAppender":       cstore.NewAppender,
	"cstore.NewAppenderIn":     cstore.NewAppenderIn,
	"cstore.CheckAppend":       cstore.CheckAppend,
	"cstore.Append":            cstore.Append,
	"cstore.AppendSource":      cstore.AppendSource,
	"cstore.AppendFiles":       cstore.AppendFiles,
	"cstore.CheckApart":        cstore.CheckApart,
	"cstore.Compact":           cstore.Compact,
	"cstore.Concat":            cstore.Concat,
	"cstore.Copies":            cstore.Copies,
	"cstore.Stat":              cstore.Stat,
	"cstore.Open":              cstore.Open,
	"cstore.Repair":            cstore.Repair,
	"cstore.Store":             cstore.Store,
	"cstore.StoreSource":       cstore.StoreSource,
	"cstore.ParseSumsMode":     cstore.ParseSumsMode,
	"cstore.SumsPath":          cstore.SumsPath,
	"cstore.Update":            cstore.Update,
	"cstore.CheckUpdate":       cstore.CheckUpdate,
	"cstore.UpdateIn":          cstore.UpdateIn,
	"cstore.Verify":            cstore.Verify,
	"cstore.Create":            cstore.Create,
	"cstore.CreateIn":          cstore.CreateIn,
	"diff.Tables":              diff.Tables,
}

// checkCallable holds the table against the packages.
func checkCallable(t *testing.T, all []goFile) {
	t.Helper()
	packages := map[string]bool{}
	for name := range callable {
		packages[strings.SplitN(name, ".", 2)[0]] = true
	}
	for _, f := range all {
		if f.test || !packages[f.file.Name.Name] || strings.HasPrefix(f.pkg, "internal/") || strings.HasSuffix(f.name, "_other.go") {
			continue
		}
		for _, d := range f.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || !d.Name.IsExported() || d.Type.Params.NumFields() == 0 {
				continue
			}
			if name := f.file.Name.Name + "." + d.Name.Name; callable[name] == nil {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
}

// Nothing where something is expected is an error, or nothing: no exported function or method panics for a nil, empty or zero
// argument, or at the zero value of its type, unless its comment says so.
func TestNothingGiven(t *testing.T) {
	_, all := files(t)
	checkCallable(t, all)
	c := caller{t: t, examples: examples(t), panics: documentedPanics(all)}
	t.Chdir(t.TempDir())
	for name, f := range callable {
		c.call(name, reflect.ValueOf(f))
	}
	for typ, v := range c.examples {
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if typ.Kind() != reflect.Interface {
				c.call(nameOf(typ)+"."+m.Name, v().Method(i))
			}
		}
	}
}

func nameOf(t reflect.Type) string { return strings.TrimPrefix(t.String(), "*") }

// required are what no function does without; optional are those that do.
var (
	required = map[reflect.Type]bool{
		reflect.TypeFor[colstore.Source]():    true,
		reflect.TypeFor[*colstore.Batch]():    true,
		reflect.TypeFor[*colstore.Schema]():   true,
		reflect.TypeFor[*frame.Frame]():       true,
		reflect.TypeFor[*pipeline.Pipeline](): true,
		reflect.TypeFor[*source.View]():       true,
	}
	optional = map[string]bool{
		"cstore.NewAppender":   true, // the first rows tell the columns
		"cstore.NewAppenderIn": true,
		"cstore.CheckAppend":   true,
		"colstore.Locate":      true, // an error stays what it is
	}
)

type caller struct {
	t        *testing.T
	examples map[reflect.Type]func() reflect.Value
	panics   map[string]bool
}

// call calls f with nothing, and with each argument that can be nothing as such beside examples of the others.
func (c *caller) call(name string, f reflect.Value) {
	if c.panics[name] {
		return
	}
	typ := f.Type()
	for missing := -1; missing < typ.NumIn(); missing++ {
		args := make([]reflect.Value, typ.NumIn())
		for i := range args {
			args[i] = reflect.Zero(typ.In(i))
			example, ok := c.examples[typ.In(i)]
			if isContext := typ.In(i) == reflect.TypeFor[context.Context](); ok && (isContext || missing >= 0 && i != missing) {
				args[i] = example()
			}
		}
		isError := c.try(fmt.Sprintf("%s without argument %d", name, missing), f, args)
		if missing >= 0 && required[typ.In(missing)] && !isError && !optional[name] {
			c.t.Errorf("%s without argument %d: no error", name, missing)
		}
		if missing >= 0 && typ.In(missing).Kind() == reflect.Slice {
			args[missing] = reflect.MakeSlice(typ.In(missing), 1, 1)
			c.try(fmt.Sprintf("%s with an empty element of argument %d", name, missing), f, args)
		}
	}
}

// try calls f, and reports whether it cannot tell of an error or does.
func (c *caller) try(what string, f reflect.Value, args []reflect.Value) (isError bool) {
	defer func() {
		if r := recover(); r != nil {
			c.t.Errorf("%s: %v\n%s", what, r, debug.Stack())
		}
	}()
	var out []reflect.Value
	if f.Type().IsVariadic() {
		out = f.CallSlice(args)
	} else {
		out = f.Call(args)
	}
	isError = true
	for _, v := range out {
		switch {
		case v.Type() == reflect.TypeFor[error]():
			isError = !v.IsNil()
		case v.Kind() == reflect.Func && v.Type().CanSeq2():
			isError = false
			for _, err := range v.Seq2() {
				isError = isError || err.Type() == reflect.TypeFor[error]() && !err.IsNil()
			}
		}
	}
	return isError
}

func examples(t *testing.T) map[reflect.Type]func() reflect.Value {
	t.Helper()
	b, err := colstore.BatchOf(colstore.Name("X", colstore.Wrap([]float64{1, 2, 3})))
	if err != nil {
		t.Fatal(err)
	}
	examples := map[reflect.Type]func() reflect.Value{}
	put(examples, func() context.Context { return t.Context() })
	put(examples, func() *colstore.Batch { return b })
	put(examples, func() *colstore.Schema { return b.Schema() })
	put(examples, func() colstore.Source { return source.Memory(b) })
	put(examples, func() *source.View { return source.ViewOf(source.Memory(b)) })
	put(examples, func() *frame.Frame { return frame.From(source.Memory(b)) })
	put(examples, func() frame.Expr { return frame.Col("X") })
	put(examples, func() *frame.Program {
		p, err := frame.New().Bind(b.Schema())
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	put(examples, func() *frame.Set {
		s, err := frame.BindSet(b.Schema(), frame.New())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	put(examples, func() *frame.Reducer {
		r, err := frame.From(source.Memory(b)).Reducer(ops.Sum("X"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
	put(examples, func() *frame.Prepared {
		p, err := frame.From(source.Memory(b)).Prepare(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	put(examples, func() colstore.DType { return colstore.Float64 })
	put(examples, func() string { return "X" })
	put(examples, func() io.Writer { return io.Discard })
	put(examples, func() *source.Dataset { return &source.Dataset{} })
	put(examples, func() *pipeline.Pipeline {
		return &pipeline.Pipeline{Input: pipeline.Input{Paths: []string{"in.cstore"}}, Branches: []pipeline.Branch{{Output: pipeline.Output{Path: "out.cstore"}}}}
	})
	put(examples, func() []ops.Agg { return []ops.Agg{ops.Sum("X")} })
	put(examples, func() []string { return []string{"X"} })
	return examples
}

func put[T any](m map[reflect.Type]func() reflect.Value, f func() T) {
	m[reflect.TypeFor[T]()] = func() reflect.Value {
		v := reflect.New(reflect.TypeFor[T]()).Elem()
		v.Set(reflect.ValueOf(f()))
		return v
	}
}

// documentedPanics returns the functions and methods whose comments say that they panic.
func documentedPanics(all []goFile) map[string]bool {
	out := map[string]bool{}
	for _, f := range all {
		for _, d := range f.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || f.test || d.Doc == nil || !strings.Contains(d.Doc.Text(), "panic") {
				continue
			}
			name := d.Name.Name
			if d.Recv != nil {
				typ := d.Recv.List[0].Type
				if s, ok := typ.(*ast.StarExpr); ok {
					typ = s.X
				}
				if id, ok := typ.(*ast.Ident); ok {
					name = id.Name + "." + name
				}
			}
			out[f.file.Name.Name+"."+name] = true
		}
	}
	return out
}
