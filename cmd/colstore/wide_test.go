package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// writeWide writes a thousand columns of numbers, times and text.
func writeWide(t *testing.T, path string, rows int) {
	t.Helper()
	types := []colstore.DType{colstore.Int64, colstore.Float32, colstore.Float64, colstore.TextOf(3), colstore.DatetimeOf(colstore.Second), colstore.Bool}
	fields, cols := make([]colstore.Field, 1000), make([]colstore.Column, 1000)
	state := uint64(1)
	for i := range fields {
		typ := types[i%len(types)]
		fields[i] = colstore.Field{Name: fmt.Sprint("c", i), Type: typ}
		data := make([]byte, rows*typ.Size())
		for row := range rows {
			state = state*6364136223846793005 + 1442695040888963407
			switch at := data[row*typ.Size():]; typ.Kind() {
			case colstore.KindBool:
				at[0] = byte(state >> 63)
			case colstore.KindText:
				at[0], at[4] = byte('a'+state>>61), byte('0'+state>>62)
			case colstore.KindFloat:
				at[typ.Size()-1], at[typ.Size()-3] = 0x3f, byte(state>>56)
			default:
				binary.LittleEndian.PutUint64(at, state>>44)
			}
		}
		var err error
		if cols[i], err = colstore.NewColumn(typ, rows, data); err != nil {
			t.Fatal(err)
		}
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	w, err := cstore.Create(path, b.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A thousand columns of a small compressed file take the default budget, from every format to every other; of fewer rows
// they take less. What is decoded again, since it was not kept, is the same again.
func TestManyColumns(t *testing.T) {
	for _, test := range []struct {
		rows   int
		budget string
	}{{100, "8MiB"}, {2600, ""}} {
		t.Run(fmt.Sprint(test.rows), func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeWide(t, "in.cstore", test.rows)
			do := func(line string) {
				if text := printed(t, line); text[len(text)-1] == ')' {
					t.Errorf("%s:\n%s", line, text)
				}
			}
			do("convert in.cstore -o want.cstore")
			want, err := os.ReadFile("want.cstore")
			if err != nil {
				t.Fatal(err)
			}
			for name, options := range map[string]string{
				"lz4.feather": "", "zstd.feather": "--compression zstd", "stored.feather": "--compression none",
				"deflate.npz": "--compression deflate:1", "snappy.parquet": "",
			} {
				do("convert in.cstore -o " + name + " " + options)
				budget := ""
				if test.budget != "" && filepath.Ext(name) != ".parquet" {
					budget = " --batch-size " + test.budget
				}
				do("convert " + name + " -o back.cstore --overwrite" + budget)
				if got, err := os.ReadFile("back.cstore"); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s becomes another table (%v)", name, err)
				}
				if test.budget != "" || name != "lz4.feather" && name != "deflate.npz" {
					continue
				}
				for _, other := range []string{"out.feather", "out.npz --compression deflate:1", "out.parquet", "out.csv"} {
					do("convert " + name + " --overwrite -o " + other)
				}
			}
		})
	}
}
