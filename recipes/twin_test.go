package recipes_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
)

// samePipeline compares pipelines with their frames' steps; where in which text an expression was is no part of them.
var samePipeline = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 }),
	cmp.FilterPath(func(p cmp.Path) bool {
		f, ok := p.Last().(cmp.StructField)
		return ok && p.Index(-2).Type().Name() == "node" && (f.Name() == "text" || f.Name() == "begin" || f.Name() == "end")
	}, cmp.Ignore()),
}

// A recipe and the program that builds the same pipeline are equal.
func TestTwins(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       pipeline.Pipeline
	}{
		{"short", "recipe: 1\nfrom: a.cstore\nto: b.parquet\n", pipeline.Pipeline{
			Name: "twin", Input: pipeline.Input{Paths: []string{"a.cstore"}},
			Branches: []pipeline.Branch{{Output: pipeline.Output{Path: "b.parquet", Mkdirs: true}}},
		}},
		{"steps", `
recipe: 1
name: muons
params: {pt_min: 25.0, runs: [1, 2], name: SR, big: 18446744073709551616, t: {type: "datetime64[s]", default: 1970-01-02}}
from: {path: [a.cstore, b.cstore], columns: [pt, eta, phi, w, region, id, ts], dtypes: {w: f4}, nulls: {pt: -1}, on_mismatch: drop}
steps:
  - cast: {pt: float32, id: {to: int8, strict: true}}
  - fill: {w: 1.0, eta: 0}
  - weight: w * 2
  - cuts:
      - hard: pt > @pt_min
      - -2.4 < eta < 2.4
  - weight: none
  - where: {expr: id in @runs and ts >= @t, name: good, weight: w}
  - assign: {px: pt * cos(phi), in_sr: region == @name, large: id < @big}
  - rename: {pt: eta, eta: pt}
  - drop: [w, id]
  - select: [px, in_sr]
  - sample: 0.25
  - sample: {fraction: 1, seed: 7}
  - limit: 1000
to: {path: out/c.cstore, mode: replace, statistics: true, mkdirs: false, lock: required, where: in_sr, columns: px}
report: {cutflow: [a.json, b.md], show: weighted}
limits: {memory: 1 GiB, batch: 100, workers: 2, expand: 50, page: 1 MiB}
`, pipeline.Pipeline{
			Name: "muons",
			Input: pipeline.Input{
				Paths: []string{"a.cstore", "b.cstore"}, Columns: []string{"pt", "eta", "phi", "w", "region", "id", "ts"},
				DTypes: map[string]colstore.DType{"w": colstore.Float32}, NullValue: map[string]string{"pt": "-1"}, Mismatch: "drop",
			},
			Frame: frame.New().
				Cast(map[string]colstore.DType{"pt": colstore.Float32}).
				CastWith(map[string]colstore.DType{"id": colstore.Int8}, ops.CastStrict).
				Fill(map[string]any{"w": 1.0, "eta": int64(0)}).
				Weight(frame.Col("w").Mul(2)).
				Where(frame.Col("pt").Gt(25.0), frame.Named("hard")).
				Where(frame.Call("negative", 2.4).Lt(frame.Col("eta")).And(frame.Col("eta").Lt(2.4))).
				Weight(frame.Expr{}).
				Where(frame.Col("id").IsIn(1, 2).And(frame.Col("ts").Ge(colstore.TimeScalar(colstore.DatetimeOf(colstore.Second), 86400))),
					frame.Named("good"), frame.Weighted("w")).
				AssignAll(
					frame.Assignment{Name: "px", Expr: frame.Col("pt").Mul(frame.Call("cos", frame.Col("phi")))},
					frame.Assignment{Name: "in_sr", Expr: frame.Col("region").Eq("SR")},
					frame.Assignment{Name: "large", Expr: frame.Col("id").Lt(new(big.Int).Lsh(big.NewInt(1), 64))},
				).
				Rename(map[string]string{"pt": "eta", "eta": "pt"}).
				Drop("w", "id").
				Select("px", "in_sr").
				Sample(0.25, 0).
				Sample(1, 7).
				Limit(1000),
			Branches: []pipeline.Branch{{
				Frame:  frame.New().Where(frame.Col("in_sr")).Select("px"),
				Output: pipeline.Output{Path: "out/c.cstore", Mode: pipeline.Replace, Lock: colstore.LockRequired, Options: map[string]any{"statistics": true}},
			}},
			Reports: pipeline.Reports{Cutflow: []string{"a.json", "b.md"}, Show: frame.ShowWeighted},
			Limits:  pipeline.Limits{Memory: colstore.GiB, BatchRows: 100, Workers: 2, Expand: 50, Page: colstore.MiB},
		}},
		{"many outputs", `
recipe: 1
from: {path: a.csv, delimiter: ";", header: false, missing: ["", NA], skip: 2, nulls: mask}
to:
  - b.cstore
  - {path: c.parquet, compression: gzip, level: 5, row_group: 64 MiB, mode: missing}
  - {path: d.bin, format: cstore, mode: create}
`, pipeline.Pipeline{
			Name: "twin",
			Input: pipeline.Input{Paths: []string{"a.csv"}, NullMode: "mask", Options: map[string]any{
				"delimiter": ";", "header": false, "missing": []string{"", "NA"}, "skip": int64(2),
			}},
			Branches: []pipeline.Branch{
				{Output: pipeline.Output{Path: "b.cstore", Mkdirs: true}},
				{Output: pipeline.Output{
					Path: "c.parquet", Mode: pipeline.Missing, Mkdirs: true,
					Options: map[string]any{"compression": "gzip:5", "row_group": "64 MiB"},
				}},
				{Output: pipeline.Output{Path: "d.bin", Format: "cstore", Mode: pipeline.Create, Mkdirs: true}},
			},
		}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := parse("twin.yaml", c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.want.Validate(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, r.Pipeline, samePipeline); diff != "" {
				t.Errorf("pipeline (-Go +recipe):\n%s", diff)
			}
		})
	}
}

// The comparison of twins sees a difference.
func TestTwinsDiffer(t *testing.T) {
	t.Parallel()
	a := frame.New().Where(frame.Col("pt").Gt(25.0))
	for _, b := range []*frame.Frame{
		frame.New(), a.Drop("x"), frame.New().Where(frame.Col("pt").Gt(25)), frame.New().Where(frame.Col("pt").Ge(25.0)),
		frame.New().Where(frame.Col("pt").Gt(25.0), frame.Named("x")),
	} {
		if cmp.Equal(a, b, samePipeline) {
			t.Errorf("%v and %v are equal", a, b)
		}
	}
	if !cmp.Equal(a, frame.New().Where(frame.MustParse(" pt>25.0")), samePipeline) {
		t.Error("where a text has its blanks makes a difference")
	}
}
