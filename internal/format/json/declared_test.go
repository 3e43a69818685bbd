package json_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Columns that are declared hold what is spelled, exactly, and nulls follow the policy.
func TestDeclared(t *testing.T) {
	t.Parallel()
	fill, mask := format.Nulls{Mode: format.NullFill}, format.Nulls{Mode: format.NullMask}
	for _, test := range []struct {
		values, dtype string
		nulls         format.Nulls
		want          string
	}{
		{"-128 127", "i1", format.Nulls{}, "a |i1: -128 127\n"},
		{"0 255", "u1", format.Nulls{}, "a |u1: 0 255\n"},
		{"-9223372036854775808 9223372036854775807", "i8", format.Nulls{}, "a <i8: -9223372036854775808 9223372036854775807\n"},
		{"18446744073709551615 -0", "u8", format.Nulls{}, "a <u8: 18446744073709551615 0\n"},
		{"9007199254740993 null", "i8", fill, "a <i8: 9007199254740993 0\n"},
		{"9007199254740993 null", "i8", mask, "a <i8: 9007199254740993 0\na_valid |b1: True False\n"},
		{"9007199254740993 null", "i8", format.Nulls{Values: map[string]string{"a": "-1"}}, "a <i8: 9007199254740993 -1\n"},
		{"18446744073709551615 null", "u8", fill, "a <u8: 18446744073709551615 0\n"},
		{"null true", "b1", fill, "a |b1: False True\n"},
		{"null true", "b1", mask, "a |b1: False True\na_valid |b1: False True\n"},
		{"null 7", "i2", fill, "a <i2: 0 7\n"},
		// JSON has one kind of number.
		{"2.0 3e2 -1.50e1 9007199254740993.0 100e-2 -0.0 0e99", "i8", format.Nulls{}, "a <i8: 2 300 -15 9007199254740993 1 0 0\n"},
		{"2.0 1e1", "u2", format.Nulls{}, "a <u2: 2 10\n"},
		// Numbers may be text.
		{`"12" " -3 " 4 "\u0035"`, "i4", format.Nulls{}, "a <i4: 12 -3 4 5\n"},
		{`"12" 1.5 "-1e3" "inf" " -Infinity "`, "f8", format.Nulls{}, "a <f8: 12.0 1.5 -1000.0 inf -inf\n"},
		{`"nan" null`, "f8", format.Nulls{}, "a <f8: nan nan\n"},
		{`"1.000000059604644775390626"`, "f4", format.Nulls{}, "a <f4: 1.0000001\n"},
		{`"0.1" true`, "f2", format.Nulls{}, "a <f2: 0.1 1.0\n"},
		{`true 0 "True" "false" 1`, "b1", format.Nulls{}, "a |b1: True False True False True\n"},
		{"true 7", "i4", format.Nulls{}, "a <i4: 1 7\n"},
		{`"5" 6 "NaT" null 7.0`, "m8[s]", format.Nulls{}, "a <m8[s]: 5 6 NaT NaT 7\n"},
		{`5e2 "1970-01-01T00:00:01\u005a"`, "M8[ms]", format.Nulls{}, "a <M8[ms]: 1970-01-01T00:00:00.500 1970-01-01T00:00:01.000\n"},
	} {
		for _, size := range []int{0, 1, 7} {
			t.Run(fmt.Sprint(test.dtype, "/", test.values, "/", size), func(t *testing.T) {
				t.Parallel()
				how := reading{types: declared(test.dtype), nulls: test.nulls, text: size, cells: size}
				how.scan.BatchRows = size
				got, err := how.readText(t, column(test.values))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, table(got)); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		}
	}
}

// declared gives column a a dtype.
func declared(code string) map[string]colstore.DType {
	t, err := colstore.ParseDType(code)
	if err != nil {
		panic(err)
	}
	return map[string]colstore.DType{"a": t}
}

// column returns a file of a column a.
func column(values string) string {
	var rows []string
	for _, v := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(values, -1) {
		rows = append(rows, fmt.Sprintf(`{"a":%s}`, v))
	}
	return "[" + strings.Join(rows, ",") + "]"
}

// What does not fit a declared column is refused, as it is in CSV: nothing is cut, wrapped or taken for 0.
func TestDeclaredErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values, dtype string
		want          error
		says          string
	}{
		{"1 300", "i1", colstore.ErrValue, "row 1: bad value: byte 14: 300 does not fit int8"},
		{"1 -1", "u1", colstore.ErrValue, "row 1: bad value: byte 14: -1 does not fit uint8"},
		{"1 -1", "u8", colstore.ErrValue, "-1 does not fit uint64"},
		{"1 1.5", "i8", colstore.ErrValue, "row 1: bad value: byte 14: 1.5 is not int64"},
		{"1 1e-1", "i8", colstore.ErrValue, "1e-1 is not int64"},
		{"1 1e300", "i8", colstore.ErrValue, "1e300 is not int64"},
		{"1 1e999999999999999999999", "i8", colstore.ErrValue, "is not int64"},
		{"1 NaN", "i8", colstore.ErrValue, "NaN is not int64"},
		{"1 Infinity", "i4", colstore.ErrValue, "Infinity is not int32"},
		{"9223372036854775808", "i8", colstore.ErrValue, "9223372036854775808 does not fit int64"},
		{`1 "x"`, "i8", colstore.ErrValue, `"x" is not int64`},
		{`1 "1.5"`, "i8", colstore.ErrValue, `"1.5" is not int64`},
		{`1 "x"`, "f8", colstore.ErrValue, `"x" is not float64`},
		{`1 "0x1p2"`, "f4", colstore.ErrValue, `"0x1p2" is not float32`},
		{"true 2", "b1", colstore.ErrValue, "row 1: bad value: byte 17: 2 is not bool"},
		{"true 0.5", "b1", colstore.ErrValue, "0.5 is not bool"},
		{"1.5", "m8[s]", colstore.ErrValue, "1.5 is not timedelta64[s]"},
		{"true", "M8[s]", colstore.ErrValue, `"true" is no date`},
		{"1 null", "i8", colstore.ErrNull, `column "a": row 1: null value`},
		{"true null", "b1", colstore.ErrNull, `column "a": row 1: null value`},
		{"9007199254740993 null", "i8", colstore.ErrNull, `column "a": row 1: null value`},
		{"null null", "u4", colstore.ErrNull, `column "a": row 0: null value`},
	} {
		for _, size := range []int{0, 1, 7} {
			t.Run(fmt.Sprint(test.dtype, "/", test.values, "/", size), func(t *testing.T) {
				t.Parallel()
				how := reading{types: declared(test.dtype), text: size, cells: size}
				how.scan.BatchRows = size
				_, err := how.readText(t, column(test.values))
				if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v\nwant %v and %q", err, test.want, test.says)
				}
			})
		}
	}
}

// Only nulls of rows that are read are refused, and of several the one of the first row is, whatever the batches are.
func TestFirstNull(t *testing.T) {
	t.Parallel()
	records := `[{"a":"x","b":1,"c":true},{"a":"x","b":1,"c":true},{"a":"x","b":1,"c":null},{"a":"x","b":null,"c":true},{"a":null,"b":1}]`
	byColumns := `{"a":["x","x","x","x",null],"b":[1,1,1,null,1],"c":[true,true,null,true,true]}`
	for name, text := range map[string]string{"records": records, "columns": byColumns} {
		for _, types := range []map[string]colstore.DType{nil, {"b": colstore.Int16, "c": colstore.Bool}} {
			for _, size := range []int{0, 1, 2, 3, 5} {
				for threads := range 3 {
					how := reading{types: types, text: size, cells: size}
					how.scan = colstore.Scan{BatchRows: size, Threads: threads}
					_, err := how.readText(t, text)
					if !errors.Is(err, colstore.ErrNull) || !strings.Contains(err.Error(), `column "c": row 2: null value`) {
						t.Errorf("%s, %v, batches of %d, %d threads: %v", name, types, size, threads, err)
					}
					how.scan.Rows = colstore.Range{End: 2}
					if got, err := how.readText(t, text); err != nil || got.Rows() != 2 {
						t.Errorf("%s: the first rows have no null: %v", name, err)
					}
				}
			}
		}
	}
}
