package frame_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
)

// A function of several rows is refused with the reason when its frame is built, parsed or called.
func TestRowDependent(t *testing.T) {
	t.Parallel()
	src := numbers(t, 3)
	for _, name := range []string{"sum", "mean", "cumsum", "sort", "rank", "shift", "diff", "min", "unique"} {
		_, err := frame.Parse("x - "+name+"(x) > 0", nil)
		q, ok := errors.AsType[*frame.QueryError](err)
		if !ok || !strings.HasPrefix(q.Msg, "row-dependent: ") || q.Text[q.Offset:q.End] != name {
			t.Errorf("%s: %v", name, err)
		}
		f := frame.From(src).Assign("y", frame.Call(name, frame.Col("x")))
		if err := f.Err(); err == nil || !strings.HasPrefix(err.Error(), "row-dependent: ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := ops.Lookup(name); ok {
			t.Errorf("%s is a function", name)
		}
	}
	for text, want := range map[string]string{
		"modf(x)":  `"modf" has several results`,
		"sqr(x)":   `no function "sqr"; did you mean "sqrt"?`,
		"max(x)":   "maximum(a, b)",
		"var(x, 1": "not closed",
	} {
		if _, err := frame.Parse(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := frame.New().Assign("y", frame.Call("nothing_like", frame.Col("x"))).Err(); err == nil || !strings.Contains(err.Error(), "no function") {
		t.Error(err)
	}
}
