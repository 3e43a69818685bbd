package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
)

// split reads an object of the lists "columns", "index" and "data".
func (d *document) split() error {
	var list []string
	named, there := false, false
	err := d.members(func(name string) error {
		switch {
		case name == "columns" && !named:
			named = true
			raw, err := d.whole()
			if err != nil {
				return err
			}
			if list, err = columnNames(raw); err != nil {
				return err
			}
			if !there {
				for _, n := range list {
					d.addColumn(n)
				}
				d.numbers = false
				if len(d.s.guesses) < len(list) {
					return d.names.rename(list) // to tell which is there twice
				}
			}
			return nil
		case name == "data" && !there:
			there = true
			if !d.pass('[') {
				return fmt.Errorf(`%w: "data" is no list`, colstore.ErrFormat)
			}
			d.numbers = !named
			return d.data(inList)
		}
		return d.passOver()
	})
	switch {
	case err != nil:
		return err
	case !named || !there:
		return fmt.Errorf(`%w: a table of orient "split" has the lists "columns" and "data"`, colstore.ErrFormat)
	}
	if err := d.names.rename(list); err != nil {
		return err
	}
	for len(d.s.guesses) < len(list) {
		d.s.guesses = append(d.s.guesses, newGuess())
	}
	return nil
}

// columnNames reads the list of names of a split table. Numbers are names too.
func columnNames(raw []byte) ([]string, error) {
	var list []any
	if err := decode(raw, &list); err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			out[i] = v
		case stdjson.Number:
			out[i] = v.String()
		default:
			return nil, fmt.Errorf("%w: the name of column %d is neither text nor a number", colstore.ErrFormat, i)
		}
	}
	if len(out) > maxColumns {
		return nil, fmt.Errorf("%w: there are more than %d columns", colstore.ErrFormat, maxColumns)
	}
	return out, nil
}

// A tableSchema is what is read of the object "schema" of a table.
type tableSchema struct {
	Fields []struct {
		Name  any    `json:"name"`
		DType string `json:"colstore.dtype"`
	} `json:"fields"`
	PrimaryKey any `json:"primaryKey"`
}

// table reads an object of the object "schema" and the list "data". Columns that are the rows' labels are left out.
func (d *document) table() error {
	var schema tableSchema
	described, there := false, false
	err := d.members(func(name string) error {
		switch {
		case name == "schema" && !described:
			described = true
			raw, err := d.whole()
			if err != nil {
				return err
			}
			if err := decode(raw, &schema); err != nil {
				return err
			}
			return d.describe(&schema)
		case name == "data" && !there:
			there = true
			if !d.pass('[') {
				return fmt.Errorf(`%w: "data" is no list`, colstore.ErrFormat)
			}
			return d.data(inList)
		}
		return d.passOver()
	})
	if err == nil && (!described || !there) {
		err = fmt.Errorf(`%w: a table of orient "table" has the object "schema" and the list "data"`, colstore.ErrFormat)
	}
	return err
}

// describe takes the columns of a table's schema.
func (d *document) describe(s *tableSchema) error {
	d.s.typed, d.s.hidden = map[string]colstore.DType{}, map[string]bool{}
	if len(s.Fields) > maxColumns {
		return fmt.Errorf("%w: there are more than %d columns", colstore.ErrFormat, maxColumns)
	}
	for _, f := range s.Fields {
		name := fmt.Sprint(f.Name)
		d.addColumn(name)
		if f.DType == "" {
			continue
		}
		t, err := colstore.ParseDType(f.DType)
		if err != nil {
			return &colstore.Error{Column: name, Err: err}
		}
		if t.Size() > d.in.most {
			return &colstore.Error{Column: name, Err: fmt.Errorf("%w: %s is wider than %s (limits.page)", colstore.ErrFormat, t.Name(), colstore.ByteSize(d.in.most))}
		}
		d.s.typed[name] = t
	}
	keys, _ := s.PrimaryKey.([]any)
	if k, ok := s.PrimaryKey.(string); ok {
		keys = []any{k}
	}
	for _, k := range keys {
		d.s.hidden[fmt.Sprint(k)] = true
	}
	return nil
}

// whole returns the value that begins here. It is gone with the next step.
func (d *document) whole() ([]byte, error) {
	begin := 0
	var c cell
	err := d.step(func(i int) int {
		begin = d.space(i)
		return d.value(begin, &c)
	})
	if c.kind <= kindFloat {
		err = errors.Join(err, fmt.Errorf("%w: a list or an object should be at byte %d", colstore.ErrFormat, d.in.offset(begin)))
	}
	return d.p[begin:max(d.in.begin, begin)], err
}

// decode reads a small piece of JSON that was found to be valid, but for numbers that only this package takes.
func decode(raw []byte, v any) error {
	dec := stdjson.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", colstore.ErrFormat, err)
	}
	return nil
}
