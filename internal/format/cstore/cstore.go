package cstore

import (
	"context"

	"github.com/colstore/colstore-go"
	engine "github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the native format.
var Descriptor = &format.Descriptor{
	Name:       "cstore",
	Doc:        "memory-mapped fixed-width columns, the native format",
	Extensions: []string{".cstore"},
	Magic:      func(head []byte) bool { return len(head) >= 7 && string(head[:7]) == "CSTORE\x00" },
	Read:       &format.Reading{Open: open},
	Write: &format.Writing{
		Create:  create,
		Copies:  engine.Copies,
		Appends: true,
		Options: []format.Option{
			{Name: "statistics", Doc: "append the bounds of every column, by which later filtered reads skip records", Kind: format.OptionBool, Default: false},
			{Name: "compact", Doc: "one record for all rows, which reads fastest; else records of at most 32 MiB", Kind: format.OptionBool, Default: true},
		},
	},
}

type file struct{ r *engine.Reader }

func open(_ context.Context, r *format.OpenRequest) (format.File, error) {
	reader, err := engine.Open(r.Path, &engine.OpenOptions{Lazy: true})
	if err != nil {
		return nil, err
	}
	return &file{reader}, nil
}

func (f *file) Names() []string { return f.r.Schema().Names() }

func (f *file) Close() error { return f.r.Close() }

// Source returns the reader itself, or its projection.
func (f *file) Source(_ context.Context, p format.Projection) (colstore.Source, error) {
	return format.Project(f.r, f.r.Path(), p.Columns)
}

func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	o := &engine.WriteOptions{Layout: engine.LayoutSingle, Stats: r.Options.Bool("statistics"), Mkdirs: r.Mkdirs, Lock: r.Lock}
	if !r.Options.Bool("compact") {
		o.Layout = engine.LayoutBlocks
	}
	switch {
	case r.Replace:
		o.Mode = engine.ModeReplace
	case r.Append:
		o.Mode = engine.ModeUpdate
	}
	return engine.CreateIn(ctx, r.Path, r.Schema, o)
}
