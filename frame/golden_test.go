package frame_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// open opens the source of a case: a file, a folder of shards, or a list of files.
func open(tb testing.TB, name any) colstore.Source {
	tb.Helper()
	var paths []string
	switch name := name.(type) {
	case string:
		path := golden.Path(tb, name)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			matches, err := filepath.Glob(filepath.Join(path, "[^.]*.cstore"))
			if err != nil {
				tb.Fatal(err)
			}
			slices.SortFunc(matches, fsx.CompareNatural)
			paths = matches
		} else {
			paths = []string{path}
		}
	case []any:
		for _, n := range name {
			paths = append(paths, golden.Path(tb, n.(string)))
		}
	}
	var parts []source.Part
	for _, p := range paths {
		r, err := cstore.Open(p, nil)
		if err != nil {
			tb.Fatal(err)
		}
		parts = append(parts, source.Part{Name: p, Source: r})
	}
	src, err := source.Concat(source.Strict, parts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { src.Close() })
	return src
}

// params decodes the parameters of a case.
func params(tb testing.TB, in map[string]golden.Param) frame.Params {
	tb.Helper()
	out := frame.Params{}
	for name, p := range in {
		out[name] = param(tb, p)
	}
	return out
}

func param(tb testing.TB, p golden.Param) any {
	tb.Helper()
	switch p.T {
	case "none":
		return nil
	case "bool":
		return p.V.(bool)
	case "str":
		return p.V.(string)
	case "bytes":
		b, err := hex.DecodeString(p.V.(string))
		if err != nil {
			tb.Fatal(err)
		}
		return b
	case "int":
		n, ok := new(big.Int).SetString(p.V.(json.Number).String(), 10)
		if !ok {
			tb.Fatalf("parameter %v", p)
		}
		return n
	case "float":
		return jsonFloat(tb, p.V)
	case "list", "set", "array":
		var out []any
		for _, v := range p.V.([]any) {
			if p.T == "array" {
				out = append(out, param(tb, golden.Param{T: "int", V: v}))
				continue
			}
			m := v.(map[string]any)
			out = append(out, param(tb, golden.Param{T: m["t"].(string), V: m["v"]}))
		}
		return out
	}
	t, err := colstore.ParseDType(p.T)
	if err != nil {
		tb.Fatal(err)
	}
	if t.IsTime() {
		if p.V == "NaT" {
			return colstore.TimeScalar(t, colstore.NaT)
		}
		v, err := p.V.(json.Number).Int64()
		if err != nil {
			tb.Fatal(err)
		}
		return colstore.TimeScalar(t, v)
	}
	value := ""
	switch v := p.V.(type) {
	case json.Number:
		value = v.String()
	case string:
		value = v
	}
	s, err := text.ParseScalar(t, value)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func jsonFloat(tb testing.TB, v any) float64 {
	tb.Helper()
	s := ""
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case string:
		s = strings.Replace(v, "Infinity", "inf", 1)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// selected returns the rows that a predicate keeps.
func selected(ctx context.Context, src colstore.Source, expr string, p frame.Params, batchRows int) ([]int64, error) {
	e, err := frame.Parse(expr, p)
	if err != nil {
		return nil, err
	}
	f := frame.From(src).Where(e).Assign("row number", frame.Row()).Select("row number")
	rows := []int64{}
	for b, err := range f.Batches(ctx, batchRows) {
		if err != nil {
			return nil, err
		}
		v, err := colstore.CopyOf[int64](b.At(0))
		if err != nil {
			return nil, err
		}
		rows = append(rows, v...)
	}
	return rows, f.Err()
}

func rowsSum(rows []int64) string {
	var b []byte
	for _, r := range rows {
		b = binary.LittleEndian.AppendUint64(b, uint64(r))
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func isQueryError(err error) bool {
	_, ok := errors.AsType[*frame.QueryError](err)
	return ok
}

// ours lists the cases in which this program does the right thing and the Python package another; docs/compatibility.md
// explains each.
var ours = map[string]string{
	"u > 3":         "query error", // a number against text
	"s > 5":         "query error",
	"z in ['a']":    "query error", // a text among the members of a number column
	" f8 > 0":       "f8 > 0",      // leading blanks are trimmed
	"abs(f8) > 1":   "abs(f8) > 1", // functions of RECIPES 4
	"abs(i4) > 1":   "abs(i4) > 1",
	"s == u":        "by value",
	"s in ['SR']":   "s == 'SR'", // in a frame as in a reader
	"i4 in [1 + 1]": "folded",
	"i4 in [-1]":    "folded",
}

func TestGoldenQueries(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "query" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Expr, func(t *testing.T) {
			src := open(t, c.Source)
			p := params(t, c.Params)
			var want golden.RowsExpect
			golden.Decode(t, c.Expect, &want)
			if len(c.ExpectFolded) > 0 {
				golden.Decode(t, c.ExpectFolded, &want)
			}
			for _, batchRows := range []int{0, 1, 7} {
				rows, err := selected(t.Context(), src, c.Expr, p, batchRows)
				if ours[c.Expr] == "query error" {
					if !isQueryError(err) {
						t.Fatalf("%v, want a query error", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if other := ours[c.Expr]; other != "" {
					if want.First, err = selected(t.Context(), src, other, p, 0); err != nil {
						t.Fatal(err)
					}
					want.Count, want.SHA = int64(len(want.First)), rowsSum(want.First)
				}
				if int64(len(rows)) != want.Count || rowsSum(rows) != want.SHA {
					t.Fatalf("batches of %d keep %d rows %v, want %d: %v", batchRows, len(rows), rows[:min(24, len(rows))], want.Count, want.First)
				}
			}
		})
	}
	if n != 209 {
		t.Errorf("%d query cases", n)
	}
}

func TestGoldenQueryErrors(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "query_error" && c.Kind != "type_error" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Expr, func(t *testing.T) {
			src := open(t, c.Source)
			rows, err := selected(t.Context(), src, c.Expr, params(t, c.Params), 0)
			switch other := ours[c.Expr]; {
			case c.Context == "frame" && c.Expr == "s == 'SR'":
				if err != nil || len(rows) != 10 {
					t.Errorf("%d rows, %v; a frame keeps what a reader keeps", len(rows), err)
				}
			case other == "folded":
				var want golden.RowsExpect
				golden.Decode(t, c.ExpectFolded, &want)
				if err != nil || rowsSum(rows) != want.SHA {
					t.Errorf("%v, %v, want %v", rows, err, want)
				}
			case other == "by value":
				if err != nil || len(rows) == 0 {
					t.Errorf("%v, %v", rows, err)
				}
			case other != "":
				want, wantErr := selected(t.Context(), src, strings.TrimSpace(other), nil, 0)
				if err != nil || wantErr != nil || !slices.Equal(rows, want) {
					t.Errorf("%v, %v, %v", rows, err, wantErr)
				}
			case !isQueryError(err):
				t.Errorf("%s: %v rows, %v; want a query error", c.Reason, rows, err)
			}
		})
	}
	if n != 79 {
		t.Errorf("%d cases", n)
	}
}

// evaluate returns one column of a frame, collected in batches.
func evaluate(ctx context.Context, f *frame.Frame, column string, batchRows int) (colstore.Column, error) {
	f = f.Select(column)
	if err := f.Err(); err != nil {
		return colstore.Column{}, err
	}
	s, err := f.Schema()
	if err != nil {
		return colstore.Column{}, err
	}
	var data []byte
	rows := 0
	for b, err := range f.Batches(ctx, batchRows) {
		if err != nil {
			return colstore.Column{}, err
		}
		part, _ := b.Detach().At(0).Bytes()
		data = append(data, part...)
		rows += b.Rows()
	}
	return colstore.NewColumn(s.Field(0).Type, rows, data)
}

// canonical returns the bytes of a column with every NaN as the quiet one.
func canonical(c colstore.Column) []byte {
	data, _ := c.Copy().Bytes()
	data = slices.Clone(data)
	if c.Type().Kind() != colstore.KindFloat {
		return data
	}
	size := c.Type().Size()
	nan := binary.LittleEndian.AppendUint64(nil, text.FloatBits(c.Type(), math.NaN()))
	switch size {
	case 2:
		nan = []byte{0x00, 0x7e}
	case 4:
		nan = binary.LittleEndian.AppendUint32(nil, 0x7fc00000)
	case 8:
		nan = binary.LittleEndian.AppendUint64(nil, 0x7ff8000000000000)
	}
	for i := range c.Rows() {
		if cell := data[i*size : (i+1)*size]; math.IsNaN(text.Float(c.Type(), cell)) {
			copy(cell, nan)
		}
	}
	return data
}

func checkArray(t *testing.T, got colstore.Column, raw json.RawMessage) {
	t.Helper()
	var want golden.ArrayExpect
	golden.Decode(t, raw, &want)
	if got.Type().String() != want.DType || got.Rows() != want.N {
		t.Fatalf("%d values of %s, want %d of %s", got.Rows(), got.Type(), want.N, want.DType)
	}
	if want.SHA != "" {
		s := sha256.Sum256(canonical(got))
		if hex.EncodeToString(s[:]) != want.SHA {
			var shown []string
			for i := range min(len(want.First), got.Rows()) {
				shown = append(shown, string(text.AppendJSON(nil, got, i, text.JSONStyle{})))
			}
			t.Fatalf("values %v, want %v", shown, want.First)
		}
		return
	}
	for i, w := range want.First {
		g, f := text.Float(got.Type(), got.At(i)), jsonFloat(t, w)
		if g != f && math.Abs(g-f) > want.RelTol*math.Abs(f) && !(g != g && f != f) {
			t.Fatalf("row %d is %v, want %v", i, g, f)
		}
	}
}

func TestGoldenValues(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "value" && c.Kind != "value_error" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Expr, func(t *testing.T) {
			src := open(t, c.Source)
			for _, batchRows := range []int{0, 1, 5} {
				e, err := frame.Parse(c.Expr, params(t, c.Params))
				var got colstore.Column
				if err == nil {
					got, err = evaluate(t.Context(), frame.From(src).Assign("out", e), "out", batchRows)
				}
				if c.Kind == "value_error" {
					if !isQueryError(err) {
						t.Fatalf("%s: %v, want a query error", c.Reason, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				want := c.Expect
				if len(c.ExpectFolded) > 0 {
					want = c.ExpectFolded
				}
				checkArray(t, got, want)
			}
		})
	}
	if n != 113 {
		t.Errorf("%d cases", n)
	}
}

func TestGoldenCasts(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "cast" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Column+" to "+c.To, func(t *testing.T) {
			to, err := colstore.ParseDType(c.To)
			if err != nil {
				t.Fatal(err)
			}
			f := frame.From(open(t, c.Source)).Cast(map[string]colstore.DType{c.Column: to})
			got, err := evaluate(t.Context(), f, c.Column, 5)
			if err != nil {
				t.Fatal(err)
			}
			checkArray(t, got, c.Expect)
		})
	}
	if n != 33 {
		t.Errorf("%d cases", n)
	}
}

func TestGoldenFunctions(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "ufunc" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Func, func(t *testing.T) {
			args := make([]any, len(c.Args))
			for i, a := range c.Args {
				switch a := a.(type) {
				case string:
					args[i] = frame.Col(a)
				case map[string]any:
					lit := a["lit"].(map[string]any)
					args[i] = param(t, golden.Param{T: lit["t"].(string), V: lit["v"]})
				}
			}
			e := frame.Call(c.Func, args...)
			if c.Func == "clip" {
				e = frame.Call("minimum", frame.Call("maximum", args[0], args[1]), args[2])
			}
			got, err := evaluate(t.Context(), frame.From(open(t, c.Source)).Assign("out", e), "out", 5)
			if err != nil {
				t.Fatal(err)
			}
			checkArray(t, got, c.Expect)
		})
	}
	if n != 53 {
		t.Errorf("%d cases", n)
	}
}

func TestGoldenReductions(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "reduce" && c.Kind != "reduce_error" {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Op, func(t *testing.T) {
			f := frame.From(open(t, c.Source))
			if len(c.Rows) > 0 {
				f = frame.From(picked(t, f, c.Rows))
			}
			column := c.Column
			if c.Where != "" {
				f = f.Where(frame.MustParse(c.Where))
			}
			if c.Expr != "" {
				column = "out"
				f = f.Assign(column, frame.MustParse(c.Expr))
			}
			agg, err := ops.AggByName(c.Op, column, c.DDOF)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Reduce(t.Context(), agg)
			if c.Kind == "reduce_error" {
				if err == nil {
					t.Fatalf("%s: %v", c.Reason, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Type   string  `json:"type"`
				Value  any     `json:"value"`
				RelTol float64 `json:"rel_tol"`
			}
			golden.Decode(t, c.Expect, &want)
			if len(c.ExpectExact) > 0 {
				golden.Decode(t, c.ExpectExact, &want.Value)
			}
			types := map[string]string{"float": "<f8", "int": "<i8"}
			if w, ok := types[want.Type]; ok {
				want.Type = w
			}
			if got[0].Type().String() != want.Type {
				t.Errorf("result is %s, want %s", got[0].Type(), want.Type)
			}
			g := string(text.AppendJSON(nil, got[0].Cell(), 0, text.JSONStyle{}))
			w, err := json.Marshal(want.Value)
			if err != nil {
				t.Fatal(err)
			}
			if g == string(w) {
				return
			}
			x, errX := strconv.ParseFloat(strings.Trim(g, `"`), 64)
			y, errY := strconv.ParseFloat(strings.Trim(string(w), `"`), 64)
			if errX != nil || errY != nil || x != y && !(math.Abs(x-y) <= want.RelTol*math.Abs(y)) && !(x != x && y != y) {
				t.Errorf("%s, want %s", g, w)
			}
		})
	}
	if n != 136 {
		t.Errorf("%d cases", n)
	}
}

// picked returns rows of a frame by their numbers, in the order given.
func picked(tb testing.TB, f *frame.Frame, rows []int64) colstore.Source {
	tb.Helper()
	all, err := f.Collect(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var parts []*colstore.Batch
	for _, r := range rows {
		parts = append(parts, all.Slice(int(r), int(r)+1))
	}
	b, err := colstore.Stack(all.Schema(), parts...)
	if err != nil {
		tb.Fatal(err)
	}
	return source.Memory(b)
}

func TestGoldenReports(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "report" {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			f := frame.From(open(t, c.Source))
			for _, cut := range c.Cuts {
				opts := []frame.CutOption{frame.Named(cut.Label)}
				if cut.Weight != "" {
					opts = append(opts, frame.Weighted(cut.Weight))
				}
				f = f.Where(frame.MustParse(cut.Expr), opts...)
			}
			flow, err := f.Report(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Records []struct {
					Label              string   `json:"label"`
					Entering           int64    `json:"entering"`
					Passing            int64    `json:"passing"`
					Efficiency         float64  `json:"efficiency"`
					WeightedEntering   *float64 `json:"weighted_entering"`
					WeightedPassing    *float64 `json:"weighted_passing"`
					WeightedEfficiency *float64 `json:"weighted_efficiency"`
				} `json:"records"`
				Text string `json:"text"`
			}
			golden.Decode(t, c.Expect, &want)
			if got := flow.Text(frame.ShowAll); got != want.Text {
				t.Errorf("text:\n%s\nwant:\n%s", got, want.Text)
			}
			if len(flow.Cuts) != len(want.Records) {
				t.Fatalf("%d cuts, want %d", len(flow.Cuts), len(want.Records))
			}
			for i, w := range want.Records {
				g := flow.Cuts[i]
				if g.Label != w.Label || g.Entering != w.Entering || g.Passing != w.Passing || g.Efficiency() != w.Efficiency || g.Weighted != (w.WeightedEntering != nil) {
					t.Errorf("cut %d is %+v, want %+v", i, g, w)
				}
				if g.Weighted && (g.WeightedEntering != *w.WeightedEntering || g.WeightedPassing != *w.WeightedPassing || math.Abs(g.WeightedEfficiency()-*w.WeightedEfficiency) > 1e-15) {
					t.Errorf("cut %d is %+v, want %v of %v", i, g, *w.WeightedPassing, *w.WeightedEntering)
				}
			}
		})
	}
	if n != 4 {
		t.Errorf("%d cases", n)
	}
}
