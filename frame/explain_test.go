package frame_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// goldenText compares a text with a file of testdata.
func goldenText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	f := frame.From(open(t, "expr.cstore")).
		Sample(0.5, 3).
		Assign("y", frame.MustParse("f8 * 2 + i4")).
		Where(frame.MustParse("f8 == f8 and y > -60"), frame.Named("finite"), frame.Weighted("f4")).
		Where(frame.MustParse("s in ['SR', 'CR'] or not b")).
		Weight(frame.Expr{}).
		Where(frame.MustParse("i4 ** 2 != 49"), frame.Named("odd one")).
		Limit(20).
		AssignAll(frame.Assignment{Name: "z", Expr: frame.MustParse("sqrt(abs(y)) / (i4 + 0.5)")},
			frame.Assignment{Name: "one", Expr: frame.Lit(1)}, frame.Assignment{Name: "n", Expr: frame.Row()}).
		Assign("two words", frame.MustParse("(f8 * 2 + i4) * y")).
		Cast(map[string]colstore.DType{"i4": colstore.Int8}).
		Fill(map[string]any{"f8": 0.0}).
		Rename(map[string]string{"y": "why"}).
		Select("i4", "f8", "f4", "why", "z", "one", "n", "two words")
	e, err := f.Explain()
	if err != nil {
		t.Fatal(err)
	}
	goldenText(t, "explain.txt", e.String()+"\n")
	out, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	goldenText(t, "explain.json", string(out)+"\n")
	if e, err = frame.From(open(t, "expr.cstore")).Select("i4").Explain(); err != nil {
		t.Fatal(err)
	}
	goldenText(t, "explain_passthrough.txt", e.String()+"\n")
	if _, err := frame.New().Explain(); err == nil {
		t.Error("no source")
	}
}
