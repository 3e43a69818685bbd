package frame_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/colstore/colstore-go/frame"
)

func TestDiffCutflows(t *testing.T) {
	t.Parallel()
	a := &frame.Cutflow{Cuts: []frame.Cut{
		{Label: "trig", Entering: 10, Passing: 8, Weighted: true, WeightedEntering: 10.5, WeightedPassing: 8.25},
		{Label: "old", Entering: 8, Passing: 7},
		{Label: "iso", Entering: 7, Passing: 5, Weighted: true, WeightedEntering: 7, WeightedPassing: math.NaN()},
		{Label: "iso", Entering: 5, Passing: 4},
	}}
	b := &frame.Cutflow{Cuts: []frame.Cut{
		{Label: "first", Entering: 12, Passing: 11},
		{Label: "trig", Entering: 11, Passing: 8, Weighted: true, WeightedEntering: 11.5, WeightedPassing: 8},
		{Label: "new|", Entering: 8, Passing: 6},
		{Label: "iso", Entering: 6, Passing: 6},
		{Label: "end", Entering: 6, Passing: 0},
	}}
	d := frame.DiffCutflows(a, b)
	out, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	goldenText(t, "cutflowdiff.txt", strings.Join([]string{
		d.Text(frame.ShowRaw), d.Text(frame.ShowWeighted), d.Markdown(frame.ShowAll), d.HTML(frame.ShowRaw), d.CSV(), string(out),
	}, "\n\n")+"\n")
	if d.Equal() || !frame.DiffCutflows(a, a).Equal() {
		t.Error("equal is not equal")
	}
	if got := frame.DiffCutflows(&frame.Cutflow{}, &frame.Cutflow{}).Text(frame.ShowAll); got != "CutflowReport(no cuts)" {
		t.Error(got)
	}
}

func TestCutflowJSON(t *testing.T) {
	t.Parallel()
	want := &frame.Cutflow{Cuts: []frame.Cut{
		{Label: "a", Entering: 10, Passing: 8},
		{Label: `"b"`, Entering: 8, Passing: 7, Weighted: true, WeightedEntering: 0.1, WeightedPassing: math.NaN()},
		{Label: "c", Entering: 7, Passing: 7, Weighted: true, WeightedEntering: math.Inf(1), WeightedPassing: math.Inf(-1)},
	}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &frame.Cutflow{}
	if err := json.Unmarshal(text, got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{
		`{}`, `[{}]`, `[{"label": "a", "entering": 1.5, "passing": 1}]`, `[{"label": "a", "entering": 1, "passing": 1, "weighted_passing": 3}]`,
		`[{"label": "a", "entering": 1, "passing": 1, "weighted_passing": "x", "weighted_entering": 1}]`,
	} {
		if err := json.Unmarshal([]byte(bad), got); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
