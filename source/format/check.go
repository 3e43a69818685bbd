package format

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
)

// Check reports what is missing or wrong in a description, before anything is read or written with it.
//
// Errors: colstore.ErrOption.
func (d *Descriptor) Check() error {
	fail := func(text string, args ...any) error {
		return fmt.Errorf("%w: format %q: %w", colstore.ErrOption, d.Name, fmt.Errorf(text, args...))
	}
	switch {
	case !isWord(d.Name):
		return fail("a name is lower-case letters, digits and underscores")
	case d.Doc == "" || strings.ContainsAny(d.Doc, "\n\t"):
		return fail("the doc is one line")
	case len(d.Extensions) == 0:
		return fail("it needs an extension, which its outputs get")
	case d.Read == nil && d.Write == nil:
		return fail("it neither reads nor writes")
	case d.Read != nil && d.Read.Open == nil:
		return fail("it reads, but has no Open")
	case d.Write != nil && d.Write.Create == nil:
		return fail("it writes, but has no Create")
	}
	for i, e := range d.Extensions {
		if filepath.Ext(e) != e || len(e) < 2 || e != strings.ToLower(e) || strings.ContainsAny(e, `/\: *?[{`) {
			return fail("%q is no extension: they are lower case, with one dot, in front", e)
		}
		if slices.Contains(d.Extensions[:i], e) {
			return fail("the extension %s is there twice", e)
		}
	}
	if err := errors.Join(checkSpecs(d.ReadOptions()), checkSpecs(d.WriteOptions())); err != nil {
		return fail("%w", err)
	}
	if d.Read != nil && d.Read.Inside != "" && !slices.ContainsFunc(d.Read.Options, func(o Option) bool { return o.Name == d.Read.Inside && o.Kind == OptionText }) {
		return fail("there is no text option %q, which picks a part of a file", d.Read.Inside)
	}
	return d.checkMapping()
}

// checkSpecs demands unique names, and defaults that the options take.
func checkSpecs(specs []Option) error {
	for i, o := range specs {
		if !isWord(o.Name) {
			return fmt.Errorf("option %q: a name is lower-case letters, digits and underscores", o.Name)
		}
		if slices.ContainsFunc(specs[:i], func(p Option) bool { return p.Name == o.Name }) {
			return fmt.Errorf("option %q is there twice", o.Name)
		}
		if int(o.Kind) >= len(optionKinds) {
			return fmt.Errorf("option %q: there is no kind %d", o.Name, o.Kind)
		}
		if !o.Kind.holds(o.Default) {
			return fmt.Errorf("option %q: the default %v (%T) is not %s", o.Name, o.Default, o.Default, o.Kind)
		}
		if _, err := o.convert(o.Default); err != nil {
			return fmt.Errorf("option %q: the default: %w", o.Name, err)
		}
	}
	return nil
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// ReadOptions returns the options of reading; nil if the format cannot be read.
func (d *Descriptor) ReadOptions() []Option {
	if d.Read == nil {
		return nil
	}
	return d.Read.Options
}

// WriteOptions returns the options of writing; nil if the format cannot be written.
func (d *Descriptor) WriteOptions() []Option {
	if d.Write == nil {
		return nil
	}
	return d.Write.Options
}
