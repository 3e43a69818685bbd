package recipes

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
)

var reportShape = shape[pipeline.Reports]{name: "report", fields: []field[pipeline.Reports]{
	{"cutflow", readCutflow},
	{"show", readShow},
	{"summary", nil},
	{"histograms", nil},
}}

func readCutflow(l *loader, r *pipeline.Reports, v value) {
	l.each(v, func(item value) {
		path, ok := l.path(item)
		ext := strings.ToLower(filepath.Ext(path))
		switch {
		case !ok:
		case !slices.Contains(pipeline.CutflowExtensions, ext):
			l.fail(codeOutput, item.node, "a cutflow has no extension %q; there is %s", ext, strings.Join(pipeline.CutflowExtensions, " "))
		default:
			r.Cutflow = append(r.Cutflow, path)
		}
	})
}

func readShow(l *loader, r *pipeline.Reports, v value) {
	if s, ok := l.choice(v, "raw", "weighted", "both"); ok {
		r.Show, _ = frame.ParseShow(s) // it is one of the words
	}
}

var limitsShape = shape[pipeline.Limits]{name: "limits", fields: []field[pipeline.Limits]{
	{"memory", func(l *loader, m *pipeline.Limits, v value) { m.Memory, _ = l.size(v) }},
	{"batch", func(l *loader, m *pipeline.Limits, v value) { m.BatchRows = l.countOrAuto(v) }},
	{"workers", func(l *loader, m *pipeline.Limits, v value) { m.Workers = l.countOrAuto(v) }},
	{"expand", func(l *loader, m *pipeline.Limits, v value) { m.Expand = l.countOrAuto(v) }},
	{"page", func(l *loader, m *pipeline.Limits, v value) { m.Page, _ = l.size(v) }},
	{"disk_reserve", nil},
	{"time", nil},
	{"input_bytes", nil},
}}

// countOrAuto reads a number from 1 on, or auto, which is 0.
func (l *loader) countOrAuto(v value) int {
	if v.kind == scalarNode && v.value == "auto" {
		return 0
	}
	n, ok := l.count(v, 1)
	if ok && n > math.MaxInt32 {
		l.fail(codeBounds, v.node, "%q is at most %d", v.name, math.MaxInt32)
		return 0
	}
	return int(n)
}
