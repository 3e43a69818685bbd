package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// The chart has a row a pattern and, from the left, a bar a size: how long ours takes, as a part of the Python package's
// time, on a scale on which half and double are as far from the middle.
const (
	chartLabel  = 190 // pixels of the names
	chartColumn = 150 // of a size
	chartRow    = 16
	chartTop    = 56
	chartReach  = 64.0 // bars end at this ratio and at its inverse
)

// chartTicks are the lines of the scale.
var chartTicks = []struct {
	ratio float64
	name  string
}{{1.0 / 16, "1/16"}, {1.0 / 4, "1/4"}, {1, "1"}, {4, "4"}, {16, "16"}}

// bar is the ratio of a pattern at a size.
type bar struct {
	pattern string
	rows    int
	ratio   float64
}

// bars returns the ratios of ours to the Python package's default, by minima: into memory there is where ours has that.
func bars(timed []timing) (out []bar, names []string, sizes []int) {
	best := map[bar]float64{}
	for _, t := range timed {
		if t.Rounds == 0 {
			continue
		}
		if !slices.Contains(names, t.Pattern) {
			names = append(names, t.Pattern)
		}
		if !slices.Contains(sizes, t.Rows) {
			sizes = append(sizes, t.Rows)
		}
		best[bar{t.Pattern + "/" + t.Engine, t.Rows, 0}] = t.Min
	}
	slices.Sort(sizes)
	for _, n := range names {
		for _, s := range sizes {
			own, ok := best[bar{n + "/into", s, 0}]
			if !ok {
				own, ok = best[bar{n + "/fresh", s, 0}]
			}
			peer, known := best[bar{n + "/colstore", s, 0}]
			if ok && known {
				out = append(out, bar{n, s, own / peer})
			}
		}
	}
	return out, names, sizes
}

// drawing is the chart as SVG. The same timings give the same bytes.
func drawing(timed []timing) []byte {
	all, names, sizes := bars(timed)
	width, height := chartLabel+chartColumn*len(sizes)+10, chartTop+chartRow*len(names)+10
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="16" font-size="13">Time of colstore for Go, as a part of the Python package's</text>`+"\n", 8)
	for i, s := range sizes {
		left := chartLabel + chartColumn*i
		fmt.Fprintf(&b, `<text x="%d" y="36" text-anchor="middle">%s rows</text>`+"\n", left+chartColumn/2, sizeName(s))
		for _, tick := range chartTicks {
			x, color := left+scaled(tick.ratio), "#dddddd"
			if tick.ratio == 1 {
				color = "#666666"
			}
			fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s"/>`+"\n", x, chartTop-4, x, height-8, color)
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-size="8" fill="#666666">%s</text>`+"\n", x, chartTop-7, tick.name)
		}
	}
	for i, n := range names {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", chartLabel-6, chartTop+chartRow*i+11, n)
	}
	for _, r := range all {
		left, y := chartLabel+chartColumn*slices.Index(sizes, r.rows), chartTop+chartRow*slices.Index(names, r.pattern)
		x, middle, color := scaled(r.ratio), scaled(1), "#2f7fbf"
		if r.ratio > 1 {
			color = "#cc5533"
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s, %s rows: %.2f</title></rect>`+"\n",
			left+min(x, middle), y+3, max(1, max(x, middle)-min(x, middle)), chartRow-6, color, r.pattern, sizeName(r.rows), r.ratio)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// scaled is how far from the left of its column a ratio lies.
func scaled(ratio float64) int {
	part := math.Log(min(max(ratio, 1/chartReach), chartReach)) / math.Log(chartReach) // -1 … 1
	return 6 + int(math.Round((chartColumn-12)*(part+1)/2))
}
