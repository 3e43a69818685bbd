package frame

// Expand returns an unbound frame in which every name that stands for several columns of the source, one that parts returns
// columns for, is replaced by them where columns are kept or removed. A name that a step before gives to a column of its
// own stands for that.
func (f *Frame) Expand(parts func(name string) []string) *Frame {
	made := nameSet{}
	expanded := func(names []string) []string {
		var out []string
		for _, n := range names {
			p := parts(n)
			if _, own := made[n]; p == nil || own {
				p = []string{n}
			}
			out = append(out, p...)
		}
		return out
	}
	g := New()
	for _, s := range f.steps() {
		switch x := s.(type) {
		case *selectStep:
			s = &selectStep{names: expanded(x.names)}
		case *dropStep:
			s = &dropStep{names: expanded(x.names)}
		case *assignStep:
			for _, c := range x.columns {
				made[c.Name] = struct{}{}
			}
		case *renameStep:
			for _, n := range x.names {
				made[n] = struct{}{}
			}
		}
		g = g.with(s)
	}
	if f.err != nil && g.err == nil {
		g.err = f.err
	}
	return g
}
