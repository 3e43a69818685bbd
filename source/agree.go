package source

import (
	"context"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// agree gives the parts one dtype for a column whose dtype was found in the data and differs. Declared dtypes that differ
// are left to the mismatch rule.
func (t *Table) agree(ctx context.Context, columns []string, parts []Part) error {
	if uniform(parts) {
		return nil
	}
	types := make([]map[string]colstore.DType, len(parts))
	for _, name := range columns {
		want, ok := agreed(parts, name)
		if _, given := t.spec.DTypes[name]; given || !ok {
			continue
		}
		for i, p := range parts {
			if typ := typeOf(p.Source, name); typ == want || !typ.Valid() {
				continue
			}
			if types[i] == nil {
				types[i] = map[string]colstore.DType{}
			}
			types[i][name] = want
		}
	}
	for i := range parts {
		if types[i] == nil {
			continue
		}
		// Columns that were found before need not be searched again.
		has := t.present(t.files[i], columns)
		for _, name := range has {
			if _, changed := types[i][name]; !changed && freedom(parts[i].Source, name) != format.Fixed {
				types[i][name] = typeOf(parts[i].Source, name)
			}
		}
		if err := parts[i].Source.Close(); err != nil {
			return err
		}
		src, err := t.openFile(ctx, t.files[i], has, types[i])
		if err != nil {
			parts[i].Source = closedSource{}
			return err
		}
		parts[i].Source = src
	}
	return nil
}

// uniform reports whether all parts have one schema, and none could have another.
func uniform(parts []Part) bool {
	return !slices.ContainsFunc(parts, func(p Part) bool {
		_, flexible := p.Source.(format.Flexible)
		return flexible || p.Source.Schema() != parts[0].Source.Schema()
	})
}

// closedSource stands for a source that is closed already.
type closedSource struct{ colstore.Source }

func (closedSource) Close() error { return nil }

func freedom(s colstore.Source, column string) format.Freedom {
	if f, ok := s.(format.Flexible); ok {
		return f.Freedom(column)
	}
	return format.Fixed
}

func typeOf(s colstore.Source, column string) colstore.DType {
	i, ok := s.Schema().Index(column)
	if !ok {
		return colstore.DType{}
	}
	return s.Schema().Field(i).Type
}

// agreed returns the dtype that all parts can have for a column, if they differ: one that some part has, whatever their
// order.
func agreed(parts []Part, column string) (want colstore.DType, ok bool) {
	var seen, empty []colstore.DType
	missing, whole := false, true
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !typeOf(p.Source, column).Valid() }) // of a union
	for _, p := range parts {
		t, f := typeOf(p.Source, column), freedom(p.Source, column)
		if f == format.Anything || f == format.Unused {
			empty = append(empty, t)
			missing = missing || f == format.Anything && p.Source.Rows() != 0
			continue
		}
		whole = whole && (f == format.Float || f == format.Natural)
		if !slices.Contains(seen, t) {
			seen = append(seen, t)
		}
	}
	if missing && whole && len(seen) > 0 {
		// Whole numbers beside missing cells: in one file, the column would be float64.
		seen = []colstore.DType{colstore.Float64}
	}
	if len(seen) == 0 {
		seen = empty
	}
	for _, want := range seen {
		if !slices.ContainsFunc(parts, func(p Part) bool { return !canBe(typeOf(p.Source, column), want, freedom(p.Source, column)) }) {
			return want, true
		}
	}
	return want, false
}

// canBe reports whether a column of dtype t can be read as want.
func canBe(t, want colstore.DType, f format.Freedom) bool {
	switch {
	case t == want:
		return true
	case f == format.Wider && t.Kind() == want.Kind() && t.IsString():
		return t.Size() <= want.Size()
	case f == format.Wider && t.Kind() == want.Kind() && t.IsTime():
		return t.Unit() > want.Unit()
	case f == format.Natural:
		return want == colstore.Float64 || want == colstore.Uint64
	case f == format.Float:
		return want == colstore.Float64
	case f == format.Unsigned:
		return want == colstore.Uint64
	}
	return f == format.Anything || f == format.Unused
}
