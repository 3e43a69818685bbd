package frame_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source"
)

// numpyTable is the first line of a fixture of internal/golden/testdata/numpy, which the script that makes it describes.
type numpyTable struct {
	Values  map[string][]byte
	Columns map[string][2]string
	Cases   [][3]json.RawMessage

	blob []byte // the values of the results
}

func loadNumPy(t *testing.T, name string) *numpyTable {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(golden.Bytes(t, "numpy/"+name)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	head, blob, _ := bytes.Cut(data, []byte{'\n'})
	table := &numpyTable{blob: blob}
	if err := json.Unmarshal(head, table); err != nil {
		t.Fatal(err)
	}
	return table
}

// numpyOperand is an argument of a case: the values of a dtype, or a literal.
type numpyOperand struct {
	name   string
	values colstore.Column
	lit    any
}

func (n *numpyTable) operand(t *testing.T, raw json.RawMessage) numpyOperand {
	t.Helper()
	var code string
	if json.Unmarshal(raw, &code) == nil {
		return numpyOperand{name: code, values: column(t, code, n.Values[code])}
	}
	lit := map[string]any{}
	if err := json.Unmarshal(raw, &lit); err != nil {
		t.Fatal(err)
	}
	o := numpyOperand{}
	for kind, v := range lit {
		o.name, o.lit = fmt.Sprint(v), v
		if kind == "int" {
			o.lit, _ = new(big.Int).SetString(v.(string), 10)
		}
	}
	return o
}

func column(t *testing.T, code string, data []byte) colstore.Column {
	t.Helper()
	dtype, err := colstore.ParseDType(code)
	if err != nil {
		t.Fatal(err)
	}
	c, err := colstore.NewColumn(dtype, len(data)/dtype.Size(), data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// natural returns the values of a signed integer column that are not negative.
func natural(t *testing.T, c colstore.Column) colstore.Column {
	t.Helper()
	var data []byte
	for i := range c.Rows() {
		if text.Int(c.Type(), c.At(i)) >= 0 {
			data = append(data, c.At(i)...)
		}
	}
	out, err := colstore.NewColumn(c.Type(), len(data)/c.Type().Size(), data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// product returns the pairs of the values of two columns, the first slowest.
func product(t *testing.T, a, b colstore.Column) (left, right colstore.Column) {
	t.Helper()
	var x, y []byte
	for i := range a.Rows() {
		for j := range b.Rows() {
			x, y = append(x, a.At(i)...), append(y, b.At(j)...)
		}
	}
	return column(t, a.Type().String(), x), column(t, b.Type().String(), y)
}

// differs reports the differences from NumPy that are meant; docs/compatibility.md has each of them.
func differs(fn string, args []numpyOperand) bool {
	beyond := func(o numpyOperand) bool { n, ok := o.lit.(*big.Int); return ok && !n.IsInt64() }
	first := args[0].values.Type()
	switch fn {
	case "sign": // NaT has none
		return first.IsTime()
	case "where": // a date and a timedelta are two things, whatever NumPy makes of them
		a, b := args[1].values.Type(), args[2].values.Type()
		return a.IsTime() && b.IsTime() && a.Kind() != b.Kind()
	case "astype": // a timedelta is its ticks as text too, so that reading it gives it back
		return first.Kind() == colstore.KindTimedelta
	case "logical_not": // a timedelta is true unless it is 0, as for and and or
		return first.Kind() == colstore.KindTimedelta
	case "less", "less_equal", "greater", "greater_equal", "equal", "not_equal": // compared by value, not refused
		return beyond(args[0]) && args[1].values.Type() == colstore.Bool || first == colstore.Bool && beyond(args[1])
	}
	return false
}

// tolerance is the relative difference allowed to functions that Go's math and NumPy's libraries compute differently.
func tolerance(fn string, t colstore.DType) float64 {
	switch fn {
	case "power", "float_power", "hypot", "arctan2", "logaddexp", "logaddexp2", "cbrt", "exp", "exp2", "expm1", "log", "log2",
		"log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh",
		"arctanh", "deg2rad", "rad2deg":
		return map[int]float64{2: 1e-3, 4: 2e-7, 8: 2e-14}[t.Size()]
	}
	return 0
}

// TestNumPyOperators compares every operator and function with NumPy over every pair of dtypes, with their edge values.
func TestNumPyOperators(t *testing.T) {
	table := loadNumPy(t, "operators.gz")
	bits := bitDigests{}
	at := 0
	for _, c := range table.Cases {
		var fn, want string
		var operands []json.RawMessage
		for i, part := range []any{&fn, &operands, &want} {
			if err := json.Unmarshal(c[i], part); err != nil {
				t.Fatal(err)
			}
		}
		var args []numpyOperand
		var names []string
		for _, raw := range operands {
			o := table.operand(t, raw)
			args, names = append(args, o), append(names, o.name)
		}
		if len(args) == 2 && args[0].lit == nil && args[1].lit == nil {
			if fn == "power" && args[1].values.Type().Kind() == colstore.KindInt && args[0].values.Type().Kind() != colstore.KindFloat {
				args[1].values = natural(t, args[1].values)
			}
			args[0].values, args[1].values = product(t, args[0].values, args[1].values)
		}
		label := fn + " " + strings.Join(names, " ")
		var data []byte
		if want != "refused" && want != "negative power" {
			dtype, err := colstore.ParseDType(want)
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			for _, a := range args {
				rows = max(rows, a.values.Rows())
			}
			data = table.blob[at:][:rows*dtype.Size()]
			at += len(data)
		}
		if differs(fn, args) {
			continue
		}
		got, err := applyFunc(t, fn, args)
		switch {
		case err != nil && data != nil:
			t.Errorf("%s: %v; NumPy gives %s", label, err, want)
		case err == nil && data == nil:
			t.Errorf("%s: %s; NumPy: %s", label, got.Type(), want)
		case err != nil:
			if !isQueryError(err) && want != "negative power" {
				t.Errorf("%s: %v is no query error", label, err)
			}
		default:
			sameAsNumPy(t, label, fn, args, got, column(t, want, data))
			bits.add(fn, got)
		}
	}
	bits.check(t)
	if at != len(table.blob) {
		t.Errorf("read %d of %d bytes of values", at, len(table.blob))
	}
}

// applyFunc computes a function of operands in a frame.
func applyFunc(t *testing.T, fn string, args []numpyOperand) (colstore.Column, error) {
	t.Helper()
	return applyExpr(t, args, func(x ...any) frame.Expr { return frame.Call(fn, x...) })
}

// applyExpr computes an expression of operands in a frame.
func applyExpr(t *testing.T, args []numpyOperand, expr func(args ...any) frame.Expr) (colstore.Column, error) {
	t.Helper()
	var fields []colstore.Field
	var cols []colstore.Column
	values := make([]any, len(args))
	for i, a := range args {
		if a.lit != nil {
			values[i] = a.lit
			continue
		}
		name := string(rune('a' + i))
		fields, cols = append(fields, colstore.Field{Name: name, Type: a.values.Type()}), append(cols, a.values)
		values[i] = frame.Col(name)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	f := frame.From(source.Memory(b)).Assign("out", expr(values...))
	whole, err := evaluate(t.Context(), f, "out", 0)
	if err != nil {
		return whole, err
	}
	parts, err := evaluate(t.Context(), f, "out", 5)
	if err == nil && !bytes.Equal(bytesOf(whole), bytesOf(parts)) {
		t.Errorf("%s depends on the batches", expr(values...))
	}
	return whole, err
}

func bytesOf(c colstore.Column) []byte {
	data, _ := c.Bytes()
	return data
}

func sameAsNumPy(t *testing.T, label, fn string, args []numpyOperand, got, want colstore.Column) {
	t.Helper()
	if got.Type() != want.Type() {
		t.Errorf("%s is %s, NumPy gives %s", label, got.Type().Name(), want.Type().Name())
		return
	}
	dtype := want.Type()
	freeZero := fn == "maximum" || fn == "minimum" || fn == "fmax" || fn == "fmin"
	var bad []string
	for i := range want.Rows() {
		g, w := got.At(i), want.At(i)
		if bytes.Equal(g, w) {
			continue
		}
		if dtype.Kind() == colstore.KindFloat {
			x, y := text.Float(dtype, g), text.Float(dtype, w)
			if math.IsNaN(x) && math.IsNaN(y) || freeZero && x == 0 && y == 0 || math.Abs(x-y) <= tolerance(fn, dtype)*math.Abs(y) && math.Signbit(x) == math.Signbit(y) {
				continue
			}
		}
		var in []string
		for _, a := range args {
			if a.lit != nil {
				in = append(in, a.name)
			} else {
				in = append(in, string(text.AppendPlain(nil, a.values, i)))
			}
		}
		bad = append(bad, fmt.Sprintf("(%s) = %s, want %s", strings.Join(in, ", "), text.AppendPlain(nil, got, i), text.AppendPlain(nil, want, i)))
	}
	if len(bad) > 0 {
		t.Errorf("%s: %d values differ, first %s", label, len(bad), strings.Join(bad[:min(3, len(bad))], "; "))
	}
}

// TestNumPyFunctions compares functions of text and dates, where and casts with NumPy.
func TestNumPyFunctions(t *testing.T) {
	table := loadNumPy(t, "functions.gz")
	columns := map[string]numpyOperand{}
	for name, c := range table.Columns {
		data, err := base64.StdEncoding.DecodeString(c[1])
		if err != nil {
			t.Fatal(err)
		}
		columns[name] = numpyOperand{name: name, values: column(t, c[0], data)}
	}
	at := 0
	for _, c := range table.Cases {
		var fn, want string
		var names []string
		for i, part := range []any{&fn, &names, &want} {
			if err := json.Unmarshal(c[i], part); err != nil {
				t.Fatal(err)
			}
		}
		label := fn + " " + strings.Join(names, ", ")
		args := make([]numpyOperand, 0, len(names))
		for _, n := range names {
			if o, ok := columns[n]; ok {
				args = append(args, o)
			}
		}
		var got colstore.Column
		var err error
		if fn == "astype" {
			to, parseErr := colstore.ParseDType(names[1])
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			args = args[:1]
			got, err = applyExpr(t, args, func(x ...any) frame.Expr { return x[0].(frame.Expr).Cast(to) })
		} else {
			got, err = applyFunc(t, fn, args)
		}
		if want != "refused" && differs(fn, args) && (fn != "astype" || strings.ContainsAny(names[1], "SU")) {
			dtype, _ := colstore.ParseDType(want)
			at += args[0].values.Rows() * dtype.Size()
			continue
		}
		if want == "refused" {
			if err == nil {
				t.Errorf("%s: %s; NumPy refuses", label, got.Type())
			} else if !isQueryError(err) {
				t.Errorf("%s: %v is no query error", label, err)
			}
			continue
		}
		dtype, parseErr := colstore.ParseDType(want)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		data := table.blob[at:][:args[0].values.Rows()*dtype.Size()]
		at += len(data)
		if err != nil {
			t.Errorf("%s: %v; NumPy gives %s", label, err, want)
			continue
		}
		sameAsNumPy(t, label, fn, args, got, column(t, want, data))
	}
	if at != len(table.blob) {
		t.Errorf("read %d of %d bytes of values", at, len(table.blob))
	}
}
