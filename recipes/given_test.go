package recipes_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
)

// Values that are typed, or passed by a program, become what the parameter's type makes of them.
func TestGivenParams(t *testing.T) {
	t.Parallel()
	const start = "recipe: 1\nfrom: a.cstore\nto: out/${p}.cstore\nparams:\n  p: "
	beyond, _ := new(big.Int).SetString("18446744073709551616", 10)
	tests := []struct {
		declared string
		given    any
		want     any // nil for an error
		path     string
		wrong    string
	}{
		{"25", "40", int64(40), "40", ""},
		{"25", "40.5", 40.5, "40.5", ""},
		{"25.0", "1e3", 1e3, "1e3", ""},
		{"25", "0x1F", int64(31), "0x1F", ""},
		{"25", "inf", math.Inf(1), "inf", ""},
		{"25", "18446744073709551616", beyond, "18446744073709551616", ""},
		{"25", "float32:0.5", colstore.ScalarOf(float32(0.5)), "float32:0.5", ""},
		{"25", "forty", nil, "", `the parameter "p" takes a number, and was given "forty"`},
		{"25", "007", nil, "", `was given "007", which YAML versions read differently`},
		{"25", "1_000", nil, "", `was given "1_000", which is a number in some YAML versions only`},
		{"25", "true", nil, "", `takes a number, and was given "true"`},
		{"25", "int8:300", nil, "", `"300" does not fit int8`},
		{"25", 40, int64(40), "40", ""},
		{"25", int64(40), int64(40), "40", ""},
		{"25", big.NewInt(40), int64(40), "40", ""},
		{"25", beyond, beyond, "18446744073709551616", ""},
		{"25", 2.5, 2.5, "2.5", ""},
		{"25", true, nil, "", `takes a number, and was given True`},
		{"25", []any{1}, nil, "", `takes a number, and was given a list`},
		{"25", nil, nil, "", `takes a number, and was given nothing`},
		{"25", struct{}{}, nil, "", `takes a number, and was given`},
		{"2024C", "2025", "2025", "2025", ""},
		{"2024C", "true", "true", "true", ""},
		{"2024C", "S2:SR", "S2:SR", "S2:SR", ""},
		{"2024C", colstore.TextScalar("x"), colstore.TextScalar("x"), "x", ""},
		{"2024C", 2025, nil, "", `takes a text, and was given 2025`},
		{"true", "false", false, "false", ""},
		{"true", "yes", nil, "", `takes true or false, and was given "yes"`},
		{"true", false, false, "false", ""},
		{"{type: integer, default: 3}", "4", int64(4), "4", ""},
		{"{type: integer, default: 3}", "4.5", nil, "", `takes a whole number, and was given "4.5"`},
		{"{type: integer, default: 3}", "uint8:4", colstore.ScalarOf(uint8(4)), "uint8:4", ""},
		{"{type: number}", "4", int64(4), "4", ""},
		{"", "4", int64(4), "4", ""},
		{"", "x", "x", "x", ""},
		{"", "true", true, "true", ""},
		{"", "nan", nil, "", ""},
		{"{type: \"datetime64[s]\"}", "2024-01-02", colstore.TimeScalar(colstore.DatetimeOf(colstore.Second), 1704153600), "2024-01-02", ""},
		{"{type: \"datetime64[s]\"}", "today", nil, "", `takes datetime64[s], and was given "today"`},
		{"{type: float32, default: 1}", "0.1", colstore.ScalarOf(float32(0.1)), "0.1", ""},
		{"{type: float32, default: 1}", 0.1, nil, "", `takes float32, and was given 0.1`},
		{"{default: SR, one_of: [SR, CR]}", "CR", "CR", "CR", ""},
		{"{default: SR, one_of: [SR, CR]}", "VR", nil, "", `the parameter "p" is one of "SR", "CR", not "VR"`},
		{"{default: 1, one_of: [1, 2.0]}", "2", int64(2), "2", ""},
		{"{default: 1, range: [0, 10]}", "10", int64(10), "10", ""},
		{"{default: 1, range: [0, 10]}", "10.5", nil, "", `the parameter "p" is in the range [0, 10], 10.5 is not`},
		{"{default: 1, range: [0, ~]}", "-1", nil, "", `in the range [0, ~], -1 is not`},
		{"{default: 1, range: [~, 10]}", "nan", nil, "", `in the range [~, 10], nan is not`},
		{"{default: 1, range: [0, 10]}", "float32:11", nil, "", `in the range [0, 10]`},
	}
	for _, c := range tests {
		r, err := parse("given.yaml", start+c.declared+"\n", map[string]any{"p": c.given})
		switch {
		case c.declared == "" && c.given == "nan":
			if v, ok := r.Params["p"].(float64); err != nil || !ok || v == v {
				t.Errorf("nan is %v, %v", r, err)
			}
		case c.want == nil:
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q given %v: %v, want %q", c.declared, c.given, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%q given %v: %v", c.declared, c.given, err)
		default:
			if value(r.Params["p"]) != value(c.want) {
				t.Errorf("%q given %v is %s, want %s", c.declared, c.given, value(r.Params["p"]), value(c.want))
			}
			if got := r.Pipeline.Branches[0].Output.Path; got != "out/"+c.path+".cstore" {
				t.Errorf("%q given %v makes the path %s", c.declared, c.given, got)
			}
		}
	}
}

func TestGivenLists(t *testing.T) {
	t.Parallel()
	const start = "recipe: 1\nfrom: a.cstore\nto: b.cstore\nsteps: [where: x in @p]\nparams:\n  p: "
	tests := []struct {
		declared string
		given    any
		want     string
	}{
		{"[SR, CR]", "A, 3", `[text "A", text "3"]`},
		{"[1, 2]", "3,4.5", "[int64 3, float64 4.5]"},
		{"[1, x]", "3,y,true", `[int64 3, text "y", bool true]`},
		{"[1]", []any{3, "x", big.NewInt(4)}, `[int64 3, text "x", int64 4]`},
		{"{type: list}", "a,1", `[text "a", int64 1]`},
	}
	for _, c := range tests {
		r, err := parse("given.yaml", start+c.declared+"\n", map[string]any{"p": c.given})
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(c.want, value(r.Params["p"])); diff != "" {
			t.Errorf("%s given %v (-want +got):\n%s", c.declared, c.given, diff)
		}
	}
	if _, err := parse("given.yaml", start+"[1, 2]\n", map[string]any{"p": "3,x"}); err == nil {
		t.Error("a text passes for a number of a list")
	}
}

func TestUnknownGivenParam(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"recipe: 1\nfrom: a.cstore\nto: b.cstore\n":                                `no parameter "q"; the recipe has no params`,
		"recipe: 1\nfrom: a.cstore\nto: b.cstore\nparams: {p: 1, pt: 2}\n":         `no parameter "q"; params has p, pt`,
		"recipe: 1\nfrom: a.cstore\nto: ${q}.cstore\nparams: {p: 1, \"q q\": 2}\n": `no parameter "q"; params has p, q q`,
	} {
		if _, err := parse("given.yaml", text, map[string]any{"q": "1"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
