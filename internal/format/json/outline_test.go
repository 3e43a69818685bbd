package json_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// What a file that is an object is told by: several of them are lines, whatever their values are; members may come in any
// order.
func TestOrientIsSeen(t *testing.T) {
	t.Parallel()
	zero := format.Nulls{Values: map[string]string{"b": "0"}}
	long := `"` + strings.Repeat(`x\"]}`, 100) + `"`
	for _, test := range []struct{ name, text, want string }{
		{"lines whose first value is a list", "{\"a\":[1,2],\"b\":1}\n{\"a\":[3],\"b\":2}\n", "b <i8: 1 2\n"},
		{"lines whose first value is an object", "{\"a\":{\"x\":1},\"b\":1}\n{\"a\":{\"x\":2},\"b\":2}\n", "b <i8: 1 2\n"},
		{"lines of nothing but lists", "{\"a\":[1,2]}\n{\"a\":[3],\"b\":2}\n", "b <i8: 0 2\n"},
		{"one line whose first value is a list", `{"a":[1,2],"b":1}`, "b <i8: 1\n"},
		{"lines that look like a split table", "{\"columns\":[1],\"data\":[[1]]}\n{\"columns\":[1],\"data\":[[1]],\"b\":5}", "b <i8: 0 5\n"},
		{"lines that look like a table", "{\"schema\":{\"fields\":[]},\"data\":[]}\r\n \n{\"b\":3}", "b <i8: 0 3\n"},
		{"an empty line first", "{}\n{\"a\":[1],\"b\":3}", "b <i8: 0 3\n"},
		{"braces in texts", "{\"a\":[" + long + ",\"}\\\\\"],\"b\":1}\n{\"a\":[],\"b\":2}\n", "b <i8: 1 2\n"},
		{"columns", `{"a":[1,2],"b":[3,4]} `, "b <i8: 3 4\n"},
		{"columns with labels", `{"a":{"x":1,"y":2},"b":{"x":3,"y":4}}`, "b <i8: 3 4\n"},
		{"columns named like members", `{"data":[1,2],"columns":[3,4],"b":[5,6]}`, "b <i8: 5 6\n"},
		{"columns named data and schema", `{"data":{"fields":1},"schema":{"fields":2},"b":{"fields":5}}`, "b <i8: 5\n"},
		{"split", `{"columns":["a","b"],"data":[[1,2],[3,4]]}`, "b <i8: 2 4\n"},
		{"split, data first", `{"data":[[1,2],[3,4]],"columns":["a","b"]}`, "b <i8: 2 4\n"},
		{"split, index first", `{"index":[0,1],"columns":["a","b"],"data":[[1,2],[3,4]]}`, "b <i8: 2 4\n"},
		{"split, index last", `{"columns":["a","b"],"data":[[1,2],[3,4]],"index":[0,1]}`, "b <i8: 2 4\n"},
		{"split, index between", `{ "data" : [ [1,2] , [3,4] ] , "index":["]","}"], "columns":["a","b"] }`, "b <i8: 2 4\n"},
		{"split, no rows", `{"data":[],"columns":["b"]}`, "b <f8:\n"},
		{"table", `{"schema":{"fields":[{"name":"b","type":"integer"}],"primaryKey":["i"]},"data":[{"i":0,"b":1}]}`, "b <i8: 1\n"},
		{"table, data first", `{"data":[{"i":0,"b":1}],"schema":{"primaryKey":["i"],"fields":[{"name":"b","type":"integer"}],"pandas_version":"1.4.0"}}`, "b <i8: 1\n"},
		{"table, dtypes behind the data", `{"data":[{"b":1},{"b":null}],"schema":{"fields":[{"name":"b","colstore.dtype":"<i4"}]}}`, "b <i4: 1 0\n"},
	} {
		for _, size := range []int{0, 1, 7} {
			t.Run(fmt.Sprint(test.name, "/", size), func(t *testing.T) {
				t.Parallel()
				got, err := reading{columns: []string{"b"}, nulls: zero, text: size, cells: size}.readText(t, test.text)
				if err != nil || table(got) != test.want {
					t.Errorf("%v\n%v", err, got)
				}
			})
		}
	}
}

// With the orient named, lines are read as records, and one object of columns is refused as such.
func TestRecordsAreNamed(t *testing.T) {
	got, err := reading{orient: "records", columns: []string{"b"}}.readText(t, "{\"a\":[1],\"b\":1}\n{\"a\":[],\"b\":2}\n")
	if err != nil || table(got) != "b <i8: 1 2\n" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := (reading{orient: "records"}).readText(t, `{"a":[1],"b":[2]}`); !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("columns are read as records: %v", err)
	}
}

// A file of columns is not looked at to its end, nor one that no row can be as long as.
func TestLookIsBounded(t *testing.T) {
	column := strings.Repeat("1,", 1<<20) + "1"
	for _, text := range []string{`{"a":[` + column + `],"b":[` + column + `]}`, `{"a":[` + column} {
		_, err := reading{page: 64 << 10, columns: []string{"a"}}.readText(t, text)
		if whole := strings.HasSuffix(text, "}"); whole != (err == nil) {
			t.Error(err)
		}
	}
}
