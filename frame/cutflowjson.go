package frame

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// MarshalJSON writes the list of cuts, each with label, entering, passing, efficiency and the weighted three, which are
// null without a weight. A sum that is no number is the text "NaN", "Infinity" or "-Infinity".
func (f *Cutflow) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i := range f.Cuts {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = f.Cuts[i].appendJSON(out)
	}
	return append(out, ']'), nil
}

// appendJSON appends a cut, or null.
func (c *Cut) appendJSON(out []byte) []byte {
	if c == nil {
		return append(out, "null"...)
	}
	out = text.AppendJSONString(append(out, `{"label": `...), c.Label)
	out = fmt.Appendf(out, `, "entering": %d, "passing": %d, "efficiency": `, c.Entering, c.Passing)
	out = text.AppendJSONFloat(out, c.Efficiency(), 64)
	if !c.Weighted {
		return append(out, `, "weighted_entering": null, "weighted_passing": null, "weighted_efficiency": null}`...)
	}
	out = text.AppendJSONFloat(append(out, `, "weighted_entering": `...), c.WeightedEntering, 64)
	out = text.AppendJSONFloat(append(out, `, "weighted_passing": `...), c.WeightedPassing, 64)
	out = text.AppendJSONFloat(append(out, `, "weighted_efficiency": `...), c.WeightedEfficiency(), 64)
	return append(out, '}')
}

// UnmarshalJSON reads what MarshalJSON writes.
//
// Errors: colstore.ErrValue for a cut without its counts.
func (f *Cutflow) UnmarshalJSON(data []byte) error {
	var cuts []struct {
		Label            *string  `json:"label"`
		Entering         *int64   `json:"entering"`
		Passing          *int64   `json:"passing"`
		WeightedEntering *jsonSum `json:"weighted_entering"`
		WeightedPassing  *jsonSum `json:"weighted_passing"`
	}
	if err := json.Unmarshal(data, &cuts); err != nil {
		return err
	}
	*f = Cutflow{Cuts: make([]Cut, len(cuts))}
	for i, c := range cuts {
		switch {
		case c.Label == nil || c.Entering == nil || c.Passing == nil:
			return fmt.Errorf("%w: cut %d of a cutflow needs label, entering and passing", colstore.ErrValue, i)
		case (c.WeightedEntering == nil) != (c.WeightedPassing == nil):
			return fmt.Errorf("%w: cut %d of a cutflow has one weighted sum and not the other", colstore.ErrValue, i)
		}
		f.Cuts[i] = Cut{Label: *c.Label, Entering: *c.Entering, Passing: *c.Passing}
		if c.WeightedEntering != nil {
			f.Cuts[i].Weighted = true
			f.Cuts[i].WeightedEntering, f.Cuts[i].WeightedPassing = float64(*c.WeightedEntering), float64(*c.WeightedPassing)
		}
	}
	return nil
}

// jsonSum is a number, or the text of what is no JSON number.
type jsonSum float64

// UnmarshalJSON implements json.Unmarshaler.
func (s *jsonSum) UnmarshalJSON(data []byte) error {
	special := map[string]float64{`"NaN"`: math.NaN(), `"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1)}
	if v, ok := special[string(data)]; ok {
		*s = jsonSum(v)
		return nil
	}
	var v float64
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = jsonSum(v)
	return nil
}

var (
	_ json.Marshaler   = (*Cutflow)(nil)
	_ json.Unmarshaler = (*Cutflow)(nil)
)
