package recipes

import "github.com/colstore/colstore-go/frame"

// readLimit reads the step that keeps the first rows.
func readLimit(l *loader, b *builder, key *node, v value) {
	if n, ok := l.count(v, 0); ok {
		l.add(b, &place{key: key}, func(f *frame.Frame) *frame.Frame { return f.Limit(n) })
	}
}

// A sample is the long form of the step that keeps a part of the rows.
type sample struct {
	fraction *value
	seed     int64
}

var sampleShape = shape[sample]{name: "sample", fields: []field[sample]{
	{"fraction", func(_ *loader, s *sample, v value) { s.fraction = &v }},
	{"seed", func(l *loader, s *sample, v value) { s.seed, _ = l.count(v, 0) }},
}}

func readSample(l *loader, b *builder, key *node, v value) {
	s := sample{fraction: &v}
	if v.kind == mapNode {
		s.fraction = nil
		sampleShape.read(l, &s, v)
		if s.fraction == nil {
			l.fail(codeRequired, key, `"sample" needs a fraction`)
			return
		}
	}
	n, ok := l.number(*s.fraction)
	if !ok {
		return
	}
	fraction := 2.0 // what is no fraction, a whole number beyond int64 too
	switch n := n.(type) {
	case float64:
		fraction = n
	case int64:
		fraction = float64(n)
	}
	if !(fraction >= 0 && fraction <= 1) {
		l.fail(codeBounds, s.fraction.node, "%q is a fraction from 0 to 1, not %s", s.fraction.name, s.fraction.value)
		return
	}
	l.add(b, &place{key: key}, func(f *frame.Frame) *frame.Frame { return f.Sample(fraction, uint64(s.seed)) })
}
