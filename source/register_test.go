package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

// registered is the name of the format that these tests add.
const registered = "registered"

var errOpened = errors.New("opened")

// own returns a format that opens nothing.
func own(name, extension string) source.Format {
	return source.Format{
		Name: name, Doc: "a format of a test", Extensions: []string{extension},
		Magic: func(head []byte) bool { return strings.HasPrefix(string(head), "registered!") },
		Read: &format.Reading{
			Options: []format.Option{{Name: "mode", Doc: "how", Kind: format.OptionText, Default: "one", Choices: []string{"one", "two"}}},
			Open:    func(context.Context, *format.OpenRequest) (format.File, error) { return nil, errOpened },
		},
		Write: &format.Writing{
			Type: func(t colstore.DType) (string, error) {
				if t == colstore.Bool {
					return "flag", nil
				}
				return "", colstore.ErrType
			},
			Create: func(context.Context, *format.CreateRequest) (colstore.Sink, error) { return nil, errOpened },
		},
	}
}

// A registered format is found, its options and dtypes are checked, and nobody else may have its name or extension.
func TestRegister(t *testing.T) {
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			source.Formats()
			errs[i] = source.Register(own(registered, ".registered"))
		})
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if !errors.Is(err, colstore.ErrExists) {
			t.Errorf("registering it twice: %v", err)
		}
	}
	if done != 1 {
		t.Fatalf("%d of %d registrations were taken", done, len(errs))
	}
	for _, f := range []source.Format{own("parquet", ".mine"), own("mine", ".csv"), own("REGISTERED", ".mine"), own("mine", ".registered")} {
		if err := source.Register(f); !errors.Is(err, colstore.ErrExists) && !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%s %v: %v", f.Name, f.Extensions, err)
		}
	}
	formats := source.Formats()
	if last := formats[len(formats)-1]; last.Name != registered || slices.ContainsFunc(formats, func(f source.Format) bool { return f.Name == "mine" }) {
		t.Errorf("the last of the formats is %s", last.Name)
	}

	dir := t.TempDir()
	path := filepath.Join(dir, "f.registered")
	plain := filepath.Join(dir, "no extension")
	for _, p := range []string{path, plain} {
		if err := os.WriteFile(p, []byte("registered! 1"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open := func(p string, options map[string]any) error {
		_, err := source.Open(t.Context(), source.Spec{Paths: []string{p}, Options: options})
		return err
	}
	if err := open(path, nil); !errors.Is(err, errOpened) {
		t.Errorf("by extension: %v", err)
	}
	if err := open(plain, map[string]any{"mode": "two"}); !errors.Is(err, errOpened) {
		t.Errorf("by its first bytes: %v", err)
	}
	if err := open(path, map[string]any{"mode": "three"}); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("a choice that is none: %v", err)
	}
	create := func(typ colstore.DType) error {
		_, err := sink.Create(t.Context(), sink.Spec{Path: filepath.Join(dir, "new.registered"), Schema: colstore.MustSchema(colstore.Field{Name: "x", Type: typ})})
		return err
	}
	if err := create(colstore.Bool); !errors.Is(err, errOpened) {
		t.Errorf("creating: %v", err)
	}
	err := create(colstore.Int8)
	if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Column != "x" || !errors.Is(err, colstore.ErrType) {
		t.Errorf("a dtype that it does not store: %v", err)
	}
}
