package source

import (
	"github.com/colstore/colstore-go"
)

// unionOf returns every column of any part, in the order they first appear; text and bytes are as wide as the widest.
func unionOf(shapes []shape) (*colstore.Schema, error) {
	var fields []colstore.Field
	index := map[string]int{}
	for _, p := range differentSchemas(shapes) {
		for _, f := range p.schema.All() {
			i, there := index[f.Name]
			if !there {
				index[f.Name] = len(fields)
				fields = append(fields, f)
				continue
			}
			t, ok := widest(fields[i].Type, f.Type)
			if !ok {
				return nil, differing(shapes, f.Name)
			}
			fields[i].Type = t
		}
	}
	return colstore.NewSchema(fields...)
}

// widest returns the dtype that holds the values of both: the same, or the wider text.
func widest(a, b colstore.DType) (colstore.DType, bool) {
	switch {
	case a == b:
		return a, true
	case a.IsString() && a.Kind() == b.Kind() && a.Size() >= b.Size():
		return a.Native(), true
	case a.IsString() && a.Kind() == b.Kind():
		return b.Native(), true
	}
	return a, false
}
