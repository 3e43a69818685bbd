package format_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

func whole() *format.Descriptor {
	return &format.Descriptor{
		Name: "x", Doc: "a format", Extensions: []string{".x", ".xx"},
		Read: &format.Reading{
			Inside:  "part",
			Options: []format.Option{{Name: "part", Doc: "a part", Kind: format.OptionText, Default: ""}},
			Types:   []format.TypeRow{{Foreign: "number", DType: "float64"}},
			Open:    func(context.Context, *format.OpenRequest) (format.File, error) { return nil, nil },
		},
		Write: &format.Writing{
			Options: []format.Option{{Name: "level", Doc: "a level", Kind: format.OptionCount, Default: int64(3)}},
			Create:  func(context.Context, *format.CreateRequest) (colstore.Sink, error) { return nil, nil },
			Type: func(t colstore.DType) (string, error) {
				switch {
				case t == colstore.DatetimeOf(colstore.Day), t.Kind() == colstore.KindTimedelta && t.Unit() > colstore.Second:
					return "", colstore.ErrType
				case t.IsNumber():
					return "number", nil
				case t.Kind() == colstore.KindBytes:
					return "bytes(" + strings.TrimPrefix(t.Name(), "S") + ")", nil
				}
				return "other", nil
			},
		},
	}
}

func TestCheck(t *testing.T) {
	if err := whole().Check(); err != nil {
		t.Fatal(err)
	}
	option := func(d *format.Descriptor) *format.Option { return &d.Write.Options[0] }
	for what, spoil := range map[string]func(d *format.Descriptor){
		"no name":                   func(d *format.Descriptor) { d.Name = "" },
		"a name in upper case":      func(d *format.Descriptor) { d.Name = "X" },
		"no doc":                    func(d *format.Descriptor) { d.Doc = "" },
		"a doc of two lines":        func(d *format.Descriptor) { d.Doc = "a\nb" },
		"no extension":              func(d *format.Descriptor) { d.Extensions = nil },
		"an extension without dot":  func(d *format.Descriptor) { d.Extensions[0] = "x" },
		"an extension of two":       func(d *format.Descriptor) { d.Extensions[0] = ".tar.gz" },
		"an extension that is none": func(d *format.Descriptor) { d.Extensions[0] = "." },
		"an extension twice":        func(d *format.Descriptor) { d.Extensions[1] = ".x" },
		"an upper-case extension":   func(d *format.Descriptor) { d.Extensions[1] = ".X" },
		"nothing to do":             func(d *format.Descriptor) { d.Read, d.Write = nil, nil },
		"no Open":                   func(d *format.Descriptor) { d.Read.Open = nil },
		"no Create":                 func(d *format.Descriptor) { d.Write.Create = nil },
		"a part without option":     func(d *format.Descriptor) { d.Read.Inside = "tree" },
		"half a row of types":       func(d *format.Descriptor) { d.Read.Types[0].DType = "" },
		"an option without name":    func(d *format.Descriptor) { option(d).Name = "" },
		"an option twice":           func(d *format.Descriptor) { d.Write.Options = append(d.Write.Options, *option(d)) },
		"a default of another type": func(d *format.Descriptor) { option(d).Default = 3 },
		"a default as text":         func(d *format.Descriptor) { option(d).Default = "3" },
		"a negative default":        func(d *format.Descriptor) { option(d).Default = int64(-1) },
		"no default":                func(d *format.Descriptor) { option(d).Default = nil },
		"a kind that is none":       func(d *format.Descriptor) { option(d).Kind = 99 },
		"a default beside the choices": func(d *format.Descriptor) {
			*option(d) = format.Option{Name: "o", Kind: format.OptionText, Default: "c", Choices: []string{"a", "b"}}
		},
	} {
		d := whole()
		spoil(d)
		if err := d.Check(); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The table of what is written is made of the function that decides it.
func TestWriteTypes(t *testing.T) {
	want := []format.TypeRow{
		{Foreign: "number", DType: "bool, int8 … uint64, float16, float32, float64"},
		{Foreign: "bytes(n)", DType: "Sn"},
		{Foreign: "other", DType: "Un, datetime64[Y] … datetime64[W], datetime64[h] … datetime64[as], timedelta64[Y] … timedelta64[s]"},
		{Foreign: "refused; cast the column first", DType: "datetime64[D], timedelta64[ms] … timedelta64[as]"},
	}
	if d := cmp.Diff(want, whole().WriteTypes()); d != "" {
		t.Error(d)
	}
	s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Bool}, colstore.Field{Name: "b", Type: colstore.DatetimeOf(colstore.Day)})
	if e, ok := errors.AsType[*colstore.Error](whole().CheckColumns(s)); !ok || e.Column != "b" || !errors.Is(e, colstore.ErrType) {
		t.Errorf("%v", e)
	}
}
