package main

import (
	"encoding/json"
	"fmt"
	"math"
)

// answer is the numbers that an engine has found out, for work that writes no file.
type answer struct {
	Exact []float64 `json:"exact"` // counts, extremes, checksums: the same for all engines
	Near  []float64 `json:"near"`  // sums and what follows from them, rounded by each engine in its own order
}

func (a answer) empty() bool { return len(a.Exact)+len(a.Near) == 0 }

// differs tells the first difference between two answers; tolerance is relative and for the near numbers.
func (a answer) differs(want answer, tolerance float64) error {
	if len(a.Exact) != len(want.Exact) || len(a.Near) != len(want.Near) {
		return fmt.Errorf("%w: %d exact and %d near numbers, not %d and %d", errDifferent,
			len(a.Exact), len(a.Near), len(want.Exact), len(want.Near))
	}
	for i, v := range a.Exact {
		if v != want.Exact[i] {
			return fmt.Errorf("%w: exact number %d is %v, not %v", errDifferent, i, v, want.Exact[i])
		}
	}
	for i, v := range a.Near {
		w := want.Near[i]
		if math.Abs(v-w) > tolerance*max(math.Abs(v), math.Abs(w)) {
			return fmt.Errorf("%w: number %d is %v, not within %v of %v", errDifferent, i, v, tolerance, w)
		}
	}
	return nil
}

// number is a JSON number, also as text: 64-bit integers are written so.
type number float64

func (n *number) UnmarshalJSON(data []byte) error {
	var v json.Number // takes a quoted number too
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	f, err := v.Float64()
	*n = number(f)
	return err
}

// readCutflow reads the output of colstore report --json.
func readCutflow(stdout []byte) (account, error) {
	var cuts []struct {
		Passing  float64 `json:"passing"`
		Weighted float64 `json:"weighted_passing"`
	}
	if err := json.Unmarshal(stdout, &cuts); err != nil {
		return account{}, fmt.Errorf("reading a cutflow: %w", err)
	}
	var a account
	for _, c := range cuts {
		a.Exact = append(a.Exact, c.Passing)
		a.Near = append(a.Near, c.Weighted)
	}
	return a, nil
}

// readCount reads the output of colstore query --count --json.
func readCount(stdout []byte) (account, error) {
	var count struct {
		Rows float64 `json:"rows"`
	}
	if err := json.Unmarshal(stdout, &count); err != nil {
		return account{}, fmt.Errorf("reading a count: %w", err)
	}
	return account{answer: answer{Exact: []float64{count.Rows}}}, nil
}

// readRows reads the number of rows in the output of colstore info --json.
func readRows(stdout []byte) (int64, error) {
	var info struct {
		Rows int64 `json:"n_rows"`
	}
	if err := json.Unmarshal(stdout, &info); err != nil {
		return 0, fmt.Errorf("reading a number of rows: %w", err)
	}
	return info.Rows, nil
}

// readStats returns the reader of the output of colstore stats --json, for those columns and reductions.
func readStats(columns, ops []string) func([]byte) (account, error) {
	return func(stdout []byte) (account, error) {
		var stats map[string]map[string]number
		if err := json.Unmarshal(stdout, &stats); err != nil {
			return account{}, fmt.Errorf("reading statistics: %w", err)
		}
		var a account
		for _, c := range columns {
			for _, op := range ops {
				v, ok := stats[c][op]
				switch {
				case !ok:
					return account{}, fmt.Errorf("%w: no %s of %s", errDifferent, op, c)
				case op == "min" || op == "max" || op == "count":
					a.Exact = append(a.Exact, float64(v))
				default:
					a.Near = append(a.Near, float64(v))
				}
			}
		}
		return a, nil
	}
}
