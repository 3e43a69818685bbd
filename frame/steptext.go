package frame

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// The steps as a reader would write them, for explanations.

func (s *whereStep) text() string {
	out := "where "
	if s.label != "" {
		out += s.label + ": "
	}
	out += s.e.String()
	if s.setsWeight {
		out += ", weight " + s.weight.String()
	}
	return out
}

func (s *weightStep) text() string {
	if s.off {
		return "weight none"
	}
	return "weight " + s.e.String()
}

func (s *assignStep) text() string {
	parts := make([]string, len(s.columns))
	for i, c := range s.columns {
		parts[i] = Col(c.Name).String() + " = " + c.Expr.String()
	}
	return "assign " + strings.Join(parts, ", ")
}

func nameList(names []string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = Col(n).String()
	}
	return strings.Join(parts, ", ")
}

func (s *selectStep) text() string {
	if len(s.names) == 0 {
		return "select nothing"
	}
	return "select " + nameList(s.names)
}

func (s *dropStep) text() string { return "drop " + nameList(s.names) }

// byName returns "verb name between value" of each entry of a map, by name.
func byName[T any](verb, between string, values map[string]T, show func(T) string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, Col(name).String()+between+show(values[name]))
	}
	return verb + " " + strings.Join(parts, ", ")
}

func (s *renameStep) text() string {
	return byName("rename", " to ", s.names, func(n string) string { return Col(n).String() })
}

func (s *castStep) text() string {
	verb := map[ops.CastMode]string{ops.CastPlain: "cast", ops.CastMissing: "cast on reading", ops.CastStrict: "cast strictly"}[s.mode]
	return byName(verb, " to ", s.types, colstore.DType.Name)
}

func (s *fillStep) text() string {
	return byName("fill", " with ", s.values, func(v any) string { return Lit(v).String() })
}

func (s *limitStep) text() string { return "limit " + strconv.FormatInt(s.rows, 10) }

func (s *sampleStep) text() string {
	return "sample " + strconv.FormatFloat(s.fraction, 'g', -1, 64) + ", seed " + strconv.FormatUint(s.seed, 10)
}
