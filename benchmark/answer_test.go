package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnswerDiffers(t *testing.T) {
	want := answer{Exact: []float64{3, 0}, Near: []float64{1e6, 0, -2}}
	tests := []struct {
		name string
		got  answer
		err  string
	}{
		{"equal", want, ""},
		{"within", answer{[]float64{3, 0}, []float64{1e6 + 1e-7, 0, -2}}, ""},
		{"exact", answer{[]float64{3, 1e-300}, want.Near}, "exact number 1 is 1e-300, not 0"},
		{"near", answer{want.Exact, []float64{1e6, 0, -2.000001}}, "number 2 is -2.000001, not within 1e-12 of -2"},
		{"near nothing", answer{want.Exact, []float64{1e6, 1e-30, -2}}, "number 1 is 1e-30"},
		{"sign", answer{want.Exact, []float64{1e6, 0, 2}}, "number 2 is 2"},
		{"short", answer{want.Exact, want.Near[:2]}, "2 exact and 2 near numbers, not 2 and 3"},
		{"long", answer{[]float64{3, 0, 0}, want.Near}, "3 exact and 3 near numbers, not 2 and 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.got.differs(want, 1e-12)
			if tt.err == "" && err == nil {
				return
			}
			if tt.err == "" || !errors.Is(err, errDifferent) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func TestReaders(t *testing.T) {
	stats := readStats([]string{"b", "a"}, []string{"sum", "min", "count"})
	tests := []struct {
		name string
		read func([]byte) (account, error)
		in   string
		want answer
		err  string
	}{
		{
			"cutflow", readCutflow,
			`[{"label":"x","entering":9,"passing":7,"weighted_passing":6.5},{"label":"","passing":0,"weighted_passing":0}]`,
			answer{[]float64{7, 0}, []float64{6.5, 0}},
			"",
		},
		{"no cutflow", readCutflow, `{"error": {}}`, answer{}, "reading a cutflow"},
		{"count", readCount, "{\"rows\":12}\n", answer{Exact: []float64{12}}, ""},
		{"no count", readCount, "12", answer{}, "reading a count"},
		{
			"stats", stats,
			`{"a": {"sum": 1.5, "min": -2, "count": "5"}, "b": {"count": "6", "min": 0.25, "sum": 3}}`,
			answer{[]float64{0.25, 6, -2, 5}, []float64{3, 1.5}},
			"",
		},
		{"no column", stats, `{"b": {"count": "6", "min": 0.25, "sum": 3}}`, answer{}, "no sum of a"},
		{"not finite", stats, `{"b": {"sum": "NaN"}}`, answer{}, "reading statistics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.read([]byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.answer); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMeasureAnswers(t *testing.T) {
	t.Setenv(pretend, "echo")
	says := func(name, text string) engine {
		return engine{name: name, argv: []string{self(t), text}, peer: name != ours}
	}
	counted := says(ours, `{"rows": 4}`)
	counted.read = readCount
	column := `{"n_rows": 4, "columns": [["x", "f8", "1"]]}`
	tests := []struct {
		name string
		task task
		err  string
	}{
		{"equal", task{answers: true, engines: []engine{counted, says("peer", `{"exact": [4], "inner": 0.25}`)}}, ""},
		{
			"another count",
			task{answers: true, engines: []engine{counted, says("peer", `{"exact": [5]}`)}},
			"peer: the output is different: exact number 0 is 5, not 4",
		},
		{
			"within the tolerance",
			task{answers: true, tolerance: 0.1, engines: []engine{says(ours, `{"near": [10]}`), says("peer", `{"near": [10.5]}`)}},
			"",
		},
		{"no answer", task{answers: true, engines: []engine{says(ours, "hello")}}, "colstore: the output is different: there is no answer"},
		{
			"no inner seconds",
			task{answers: true, byInner: true, engines: []engine{says(ours, `{"exact": [4]}`)}},
			"it tells no inner seconds",
		},
		{"unreadable", task{answers: true, engines: []engine{{name: ours, argv: counted.argv, read: readCutflow}}}, "reading a cutflow"},
		{"in memory", task{engines: []engine{says(ours, column), says("peer", column)}}, ""},
		{
			"another column in memory",
			task{engines: []engine{says(ours, column), says("peer", strings.ReplaceAll(column, `"1"`, `"2"`))}},
			"peer: the output is different: column 0 is x of type f8 with checksum 2",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bench := &bench{dir: t.TempDir(), runs: 2, progress: io.Discard, contents: map[string]content{}}
			results, err := bench.measure(t.Context(), workload{"w", func(context.Context) (task, error) { return tt.task, nil }})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if len(r.Seconds) != 2 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// An answer that changes after the verified run is noticed.
func TestMeasureChecksEveryRound(t *testing.T) {
	t.Setenv(pretend, "echo")
	calls := 0.0
	e := engine{name: ours, argv: []string{self(t)}, read: func([]byte) (account, error) {
		calls++
		return account{answer: answer{Exact: []float64{calls}}}, nil
	}}
	bench := &bench{dir: t.TempDir(), runs: 1, progress: io.Discard, contents: map[string]content{}}
	_, err := bench.measure(t.Context(), workload{"w", func(context.Context) (task, error) {
		return task{answers: true, engines: []engine{e}}, nil
	}})
	if !errors.Is(err, errDifferent) {
		t.Errorf("error %v", err)
	}
}

func TestSummarizeByInner(t *testing.T) {
	results := []result{{}, {}}
	for i := range results {
		for _, inner := range []float64{0.5, 0.25, 0.75} {
			results[i].add(run{}, account{Inner: inner * float64(i+1)})
		}
	}
	summarize(results, true)
	for i, want := range []string{"0.25 0 0.5 0", "0.5 0.5 1 0.5"} {
		if got := fmt.Sprint(results[i].Basis, results[i].Ratio, results[i].Typical, results[i].Medians); got != want {
			t.Errorf("result %d: %s, want %s", i, got, want)
		}
	}
}
