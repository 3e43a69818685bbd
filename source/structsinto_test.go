package source_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// filled is a struct that can be compared.
type filled struct {
	B    bool
	I8   int8 `colstore:"i8"`
	I64  int64
	F    float32
	U16  uint16
	Text string
	When time.Time
	left int // is no column
}

// Structs of any selection of rows, in memory or not, of any number of goroutines, are those of the rows, and fill memory that is
// there.
func TestStructsIntoSelections(t *testing.T) {
	defer kernel.Tune(kernel.Tuned())
	rows := make([]filled, 2_501)
	for i := range rows {
		rows[i] = filled{
			B: i%3 == 0, I8: int8(i), I64: int64(i) << 40, F: float32(i) / 3, U16: uint16(i * 77), Text: strings.Repeat("é", i%5),
			When: time.Unix(int64(i)*60, 123).UTC(),
		}
	}
	b, err := source.FromStructs(rows)
	if err != nil {
		t.Fatal(err)
	}
	whole := source.Memory(b)
	defer whole.Close()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if _, err := runtime.Write(t.Context(), frame.From(whole), pipeline.Output{Path: path}, nil); err != nil {
		t.Fatal(err)
	}
	dtypes := map[string]colstore.DType{}
	for _, f := range b.Schema().All() {
		dtypes[f.Name] = f.Type
	}
	text, err := source.Open(t.Context(), source.Spec{Paths: []string{path}, DTypes: dtypes})
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	mask, numbers := make([]bool, len(rows)), make([]int64, len(rows))
	for i := range rows {
		mask[i], numbers[i] = i%7 < 3, int64(i*7919%len(rows))
	}
	dst := make([]filled, len(rows)+3)
	for _, threads := range []int{1, 3} {
		tuned := kernel.Tuned()
		tuned.Threads = threads
		kernel.Tune(tuned)
		for name, src := range map[string]colstore.Source{"whole": whole, "parts": inParts(t, b, 0, 1, 500), "text": text} {
			for _, sel := range []source.Selection{source.All(), source.All().By(-3), source.Slice(400, 900), source.Mask(mask), source.Rows(numbers...), source.Slice(5, 5)} {
				v := source.ViewOf(src).Pick(sel)
				at, err := v.Positions(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for i := range dst {
					dst[i] = filled{left: i, Text: "before"}
				}
				n, err := source.StructsInto(t.Context(), v, dst)
				if err != nil || n != len(at) {
					t.Fatalf("%s, %v: %d rows, %v", name, sel, n, err)
				}
				for i, got := range dst {
					want := filled{left: i, Text: "before"}
					if i < n {
						want = rows[at[i]]
						want.left = i
					}
					if got != want {
						t.Fatalf("%d threads, %s, %v: struct %d is %v, want %v", threads, name, sel, i, got, want)
					}
				}
			}
		}
	}
}

// Values are brought into native byte order, bools are made Go's, and strings that are right stay.
func TestStructsIntoOfStoredValues(t *testing.T) {
	var fields []colstore.Field
	for _, f := range [][2]string{{"i", ">i4"}, {"t", ">M8[s]"}, {"u", ">U2"}, {"b", "|b1"}, {"d", ">m8[s]"}} {
		dtype, err := colstore.ParseDType(f[1])
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, colstore.Field{Name: f[0], Type: dtype})
	}
	s := colstore.MustSchema(fields...)
	data := [][]byte{
		{0, 0, 1, 2, 255, 255, 255, 254},
		{0, 0, 0, 0, 0, 0, 0, 60, 128, 0, 0, 0, 0, 0, 0, 0},
		{0, 0, 0, 'a', 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 0},
		{2, 0},
		{0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0},
	}
	var cols []colstore.Column
	for i, f := range s.All() {
		cols = append(cols, colstore.RawColumn(f.Type, 2, f.Type.Size(), unsafe.Pointer(&data[i][0])))
	}
	b, err := colstore.NewBatch(s, cols...)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		B    bool      `colstore:"b"`
		I    int32     `colstore:"i"`
		Text string    `colstore:"u"`
		D    int64     `colstore:"d"`
		At   time.Time `colstore:"t"`
	}
	src := source.Memory(b)
	defer src.Close()
	dst := make([]row, 2)
	want := []row{{true, 258, "ab", 7, time.Unix(60, 0).UTC()}, {false, -2, "c", 256, time.Time{}}}
	kept := strings.Clone("ab")
	dst[0].Text = kept
	before := slices.Concat(data...)
	if n, err := source.StructsInto(t.Context(), source.ViewOf(src), dst); n != 2 || err != nil || !reflect.DeepEqual(dst, want) {
		t.Errorf("%d, %v: %v", n, err, dst)
	}
	if unsafe.StringData(dst[0].Text) != unsafe.StringData(kept) {
		t.Error("an equal string was replaced")
	}
	if !slices.Equal(slices.Concat(data...), before) {
		t.Error("the source was changed")
	}
}

func TestStructsIntoRefuses(t *testing.T) {
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap([]int64{1, 2, 3})))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.cstore")
	if err := cstore.Store(t.Context(), path, b, nil); err != nil {
		t.Fatal(err)
	}
	src, err := source.OpenPath(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	v := source.ViewOf(src)
	type row struct {
		X int64 `colstore:"x"`
	}
	short := []row{{7}, {8}}
	if n, err := source.StructsInto(t.Context(), v, short); n != 3 || !errors.Is(err, colstore.ErrRange) || short[0].X != 7 {
		t.Errorf("into too few: %d, %v, %v", n, err, short)
	}
	if n, err := source.StructsInto(t.Context(), v, make([]struct{ Y int64 }, 3)); n != 0 || !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("a field without a column: %d, %v", n, err)
	}
	if n, err := source.StructsInto(t.Context(), v, make([]struct {
		X float64 `colstore:"x"`
	}, 3)); n != 0 || !errors.Is(err, colstore.ErrType) || !strings.Contains(fmt.Sprint(err), `column "x"`) {
		t.Errorf("a field of another kind: %d, %v", n, err)
	}
}
