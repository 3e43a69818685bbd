package json_test

import (
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
)

// What a message shows of a file is short, however long its names and values are.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("näme", 100_000)
	digits := strings.Repeat("7", 100_000)
	for name, test := range map[string]struct {
		text string
		how  reading
	}{
		"a list in a column":          {`[{"` + long + `":[1]}]`, reading{}},
		"a null in a column":          {`[{"` + long + `":true},{"` + long + `":null}]`, reading{}},
		"a null beside large numbers": {`[{"` + long + `":9007199254740993},{"` + long + `":null}]`, reading{}},
		"two kinds":                   {`[{"` + long + `":1},{"` + long + `":"x"}]`, reading{}},
		"beyond 64 bits":              {`[{"a":` + digits + `}]`, reading{}},
		"columns of other lengths":    {`{"` + long + `":[1,2],"b":[1]}`, reading{}},
		"a column that is none":       {`{"a":[1],"` + long + `":5}`, reading{orient: "columns"}},
		"a column that is not there":  {`[{"` + long + `":1,"` + long + `2":2}]`, reading{columns: []string{long + "3"}}},
		"a name that is there twice":  {`{"columns":["` + long + `","` + long + `"],"data":[[1,2]]}`, reading{}},
		"an unknown dtype":            {`{"schema":{"fields":[{"name":"` + long + `","colstore.dtype":"` + long + `"}]},"data":[]}`, reading{}},
		"text as a number":            {`[{"a":"` + long + `"}]`, reading{types: declared("i8")}},
		"text as a float":             {`[{"a":"` + long + `"}]`, reading{types: declared("f8")}},
		"text as a bool":              {`[{"a":"` + long + `"}]`, reading{types: declared("b1")}},
		"text as a date":              {`[{"a":"` + long + `"}]`, reading{types: declared("M8[s]")}},
		"text as a span":              {`[{"a":"` + long + `"}]`, reading{types: declared("m8[s]")}},
		"text that is too long":       {`[{"a":"` + long + `"}]`, reading{types: declared("U3")}},
		"a number as a number":        {`[{"a":` + digits + `}]`, reading{types: declared("u8")}},
		"a fraction as a number":      {`[{"a":` + digits + `.5}]`, reading{types: declared("u8")}},
		"a number as text":            {`[{"a":` + digits + `}]`, reading{types: declared("S3")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.how.readText(t, test.text)
			if err == nil || len(err.Error()) > 1000 {
				t.Errorf("%.2000v", err)
			}
		})
	}
	if e := (&colstore.Error{Column: long, Err: colstore.ErrValue}); !strings.Contains(e.Error(), "näme…") || len(e.Error()) > 100 {
		t.Error(e)
	}
}
