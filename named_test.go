package colstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
)

func ExampleBatchOf() {
	b, err := colstore.BatchOf(
		colstore.Name("pt", colstore.Wrap([]float64{31, 8, 44})),
		colstore.Name("region", colstore.TextColumn([]string{"SR", "", "CR µ"})),
		colstore.Name("tag", colstore.BytesColumn([]string{"a", "bc", ""})),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Rows(), b.Schema())
	// Output: 3 pt <f8, region <U4, tag |S2
}

func TestBatchOf(t *testing.T) {
	pt := colstore.Name("pt", colstore.Wrap([]float64{1, 2}))
	for _, tt := range []struct {
		columns []colstore.Named
		want    error
		text    string
	}{
		{nil, colstore.ErrValue, "needs a column"},
		{[]colstore.Named{pt, pt}, colstore.ErrDuplicate, `"pt"`},
		{[]colstore.Named{pt, colstore.Name("q", colstore.Wrap([]int8{1}))}, colstore.ErrMismatch, `column "q": mismatch: 1 rows, expected 2`},
		{[]colstore.Named{pt, colstore.Name("q", colstore.Column{})}, colstore.ErrType, `column "q"`},
	} {
		if _, err := colstore.BatchOf(tt.columns...); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%v: %v", tt.columns, err)
		}
	}
}

func TestColumnsOfTexts(t *testing.T) {
	texts := []string{"", "a", "日本語", "a\x00b", "x\x00", "\xff!"}
	collect := func(c colstore.Column) []string {
		var out []string
		for _, s := range c.Strings() {
			out = append(out, s)
		}
		return out
	}
	c := colstore.TextColumn(texts)
	if got, want := collect(c), []string{"", "a", "日本語", "a\x00b", "x", "\ufffd!"}; c.Type() != colstore.TextOf(3) || !slices.Equal(got, want) {
		t.Errorf("%s %q", c.Type(), got)
	}
	c = colstore.BytesColumn(texts)
	if got, want := collect(c), []string{"", "a", "日本語", "a\x00b", "x", "\xff!"}; c.Type() != colstore.BytesOf(9) || !slices.Equal(got, want) {
		t.Errorf("%s %q", c.Type(), got)
	}
	if c := colstore.BytesColumn([][]byte{nil}); c.Type() != colstore.BytesOf(1) || c.Rows() != 1 {
		t.Errorf("nothing but nothing: %s", c.Type())
	}
	if c := colstore.TextColumn(nil); c.Type() != colstore.TextOf(1) || c.Rows() != 0 {
		t.Errorf("no rows: %s", c.Type())
	}
}

func TestTimeColumn(t *testing.T) {
	at := time.Date(2024, 2, 29, 1, 2, 3, 4, time.FixedZone("", 3600))
	c := colstore.TimeColumn([]time.Time{at, {}, time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, colstore.NaT+1)})
	var got []time.Time
	for _, v := range c.Times() {
		got = append(got, v)
	}
	if !got[0].Equal(at) || !got[1].IsZero() || !got[2].IsZero() || got[3].UnixNano() != colstore.NaT+1 || c.Type() != colstore.DatetimeOf(colstore.Nanosecond) {
		t.Errorf("%v", got)
	}
}
