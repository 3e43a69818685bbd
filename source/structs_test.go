package source_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// Structs become a file.
func ExampleFromStructs() {
	dir, err := os.MkdirTemp("", "colstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	type trade struct {
		Symbol   string  `colstore:"symbol"`
		Price    float64 `colstore:"price"`
		Quantity int32   `colstore:"qty"`
		note     string  // not exported, so not stored
	}
	trades := []trade{{"AB", 10.5, 100, ""}, {"ABC", 11, 20, "late"}}
	fmt.Printf("%q\n", trades[1].note)

	b, err := source.FromStructs(trades)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "trades.cstore")
	if err := cstore.Store(context.Background(), path, b, nil); err != nil {
		log.Fatal(err)
	}
	info, err := cstore.Stat(path)
	fmt.Println(info.Rows, info.Schema, err)
	// Output:
	// "late"
	// 2 symbol <U3, price <f8, qty <i4 <nil>
}

type everything struct {
	B    bool
	I8   int8 `colstore:"i8"`
	I64  int64
	F    float32
	Left []int `colstore:"-"`
	U16  uint16
	Text string `colstore:"a text, with a comma"`
	When time.Time
}

// What is written of structs is read into them again.
func TestStructsRoundTrip(t *testing.T) {
	rows := make([]everything, 1000)
	for i := range rows {
		rows[i] = everything{
			B: i%3 == 0, I8: int8(i), I64: int64(i) << 40, F: float32(i) / 3, U16: uint16(i * 77), Text: strings.Repeat("é", i%5),
			When: time.Unix(int64(i)*86400, 123).UTC(),
		}
	}
	rows[7].When = time.Time{}
	for _, n := range []int{0, 1, 1000} {
		b, err := source.FromStructs(rows[:n])
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
		got, err := source.Structs[everything](t.Context(), source.ViewOf(src))
		if err != nil || len(got) != n || n > 0 && !reflect.DeepEqual(got, rows[:n]) {
			t.Errorf("%d rows: %d came back, %v", n, len(got), err)
		}
		src.Close()
	}
}

func TestFromStructsRefuses(t *testing.T) {
	type advice struct{ column, text string }
	check := func(want error, a advice, err error) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), a.text) || a.column != "" && !strings.Contains(fmt.Sprint(err), fmt.Sprintf("column %q", a.column)) {
			t.Errorf("%v, want %v", err, a)
		}
	}
	of := func(_ *colstore.Batch, err error) error { return err }
	check(colstore.ErrType, advice{"N", "make it int64"}, of(source.FromStructs([]struct{ N int }{})))
	check(colstore.ErrType, advice{"n", "make it uint64"}, of(source.FromStructs([]struct {
		N uint `colstore:"n"`
	}{})))
	check(colstore.ErrType, advice{"C", "two columns"}, of(source.FromStructs([]struct{ C complex128 }{})))
	check(colstore.ErrType, advice{"L", "as many columns"}, of(source.FromStructs([]struct{ L [3]float64 }{})))
	check(colstore.ErrType, advice{"M", "numbers, bools, text or times"}, of(source.FromStructs([]struct{ M map[string]int }{})))
	check(colstore.ErrType, advice{"", "no struct"}, of(source.FromStructs([]int{1})))
	check(colstore.ErrType, advice{"", "embedded"}, of(source.FromStructs([]struct{ everything }{})))
	check(colstore.ErrValue, advice{"", "needs a column"}, of(source.FromStructs([]struct{ hidden int }{})))
	check(colstore.ErrDuplicate, advice{"x", ""}, of(source.FromStructs([]struct {
		A int8 `colstore:"x"`
		B int8 `colstore:"x"`
	}{})))
}

// Price is embedded as a column of its own name.
type Price float64

// What is embedded is left out where its tag says so, whatever it has; a value that is embedded is a field as any other.
func TestStructsEmbedded(t *testing.T) {
	type notes struct{ Text []string }
	type quoted struct{ Text []string }
	type trade struct {
		Inner `colstore:"-"`
		notes `colstore:"-"`
		quoted
		*everything `colstore:"-"`
		sync.Mutex
		Price
		time.Time `colstore:"when"`
		N         int32
	}
	at := time.Unix(1000, 5).UTC()
	rows := []trade{{Price: 2.5, Time: at, N: 7}, {Price: -1, Time: at.Add(1), N: 8}}
	if _, err := source.FromStructs(rows); !errors.Is(err, colstore.ErrType) || !strings.Contains(err.Error(), "field Text") || !strings.Contains(err.Error(), "struct quoted") {
		t.Errorf("%v", err)
	}
	type clean struct {
		Inner       `colstore:"-"`
		notes       `colstore:"-"`
		*everything `colstore:"-"`
		sync.Mutex
		Price
		time.Time `colstore:"when"`
		N         int32
	}
	in := make([]clean, 2)
	for i := range in {
		in[i].Price, in[i].Time, in[i].N = rows[i].Price, rows[i].Time, rows[i].N
	}
	b, err := source.FromStructs(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Schema().String(); got != "Price <f8, when <M8[ns], N <i4" {
		t.Errorf("the columns are %s", got)
	}
	src := source.Memory(b)
	defer src.Close()
	out, err := source.Structs[clean](t.Context(), source.ViewOf(src))
	if err != nil || len(out) != 2 {
		t.Fatalf("%d, %v", len(out), err)
	}
	for i := range out {
		if out[i].Price != in[i].Price || !out[i].Time.Equal(in[i].Time) || out[i].N != in[i].N || out[i].everything != nil {
			t.Errorf("row %d is %v, %v, %d", i, out[i].Price, out[i].Time, out[i].N)
		}
	}
}

// Fields that a nearer one of the same name hides are no columns, as in Go, nor are those of what an embedded struct leaves out.
func TestStructsHidden(t *testing.T) {
	type base struct {
		N int32
		X float64
	}
	type middle struct {
		base `colstore:"-"`
	}
	type Node struct {
		*Node
		N int32
	}
	type hides struct {
		base
		N int32
		X float64
	}
	type within struct {
		middle
		M int32
	}
	for _, c := range []struct {
		name, want string
		batch      func() (*colstore.Batch, error)
	}{
		{"of itself", "N <i4", func() (*colstore.Batch, error) { return source.FromStructs([]Node{{N: 1}}) }},
		{"hidden", "N <i4, X <f8", func() (*colstore.Batch, error) { return source.FromStructs([]hides{{N: 1}}) }},
		{"left out within", "M <i4", func() (*colstore.Batch, error) { return source.FromStructs([]within{{M: 1}}) }},
	} {
		b, err := c.batch()
		if err != nil || b.Schema().String() != c.want {
			t.Errorf("%s: %v, %v", c.name, b, err)
		}
	}
}
