package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go/ops"
)

// Text returns a histogram for a terminal of width characters: of one column a bar a bin, of two columns a shaded grid,
// whose bins are joined until they fit. A line about the rows outside ends it.
func Text(h *ops.Hist, l Labels, width int) string {
	var b strings.Builder
	if h.Is2D() {
		grid(&b, h, l, width)
	} else {
		bars(&b, h, l, width)
	}
	fmt.Fprintf(&b, "%s", number(float64(h.Entries)))
	b.WriteString(" rows")
	f := flowsOf(h)
	for _, p := range []struct {
		name  string
		value float64
	}{{"below", f.under}, {"above", f.over}, {"outside", f.outside}, {"NaN", float64(h.NaN)}} {
		if p.value != 0 {
			fmt.Fprintf(&b, ", %s %s", p.name, number(p.value))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// number prints a value in few characters.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// decimals returns with how many digits behind the point the edges of an axis are told apart.
func decimals(a ops.Axis) int {
	width := (a.High - a.Low) / float64(a.Bins)
	return max(0, min(12, 1-int(math.Floor(math.Log10(width)))))
}

// edges prints the edges of an axis with the same number of decimals, as few as they need; very large and very small
// ones with an exponent.
func edges(a ops.Axis) []string {
	out := make([]string, a.Bins+1)
	if largest := max(math.Abs(a.Low), math.Abs(a.High)); largest >= 1e9 || largest < 1e-6 {
		for i := range out {
			out[i] = strconv.FormatFloat(a.Edge(i), 'g', 6, 64)
		}
		return out
	}
	for d := decimals(a); d >= 0; d-- {
		exact := true
		for i := range out {
			s := strconv.FormatFloat(a.Edge(i), 'f', d, 64)
			// One decimal less is enough if it takes away zeros only.
			exact = exact && strings.HasSuffix(s, "0")
			out[i] = s
		}
		if !exact || d == 0 {
			break
		}
	}
	return out
}

var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bars prints a line a bin: its range, a bar, its content.
func bars(b *strings.Builder, h *ops.Hist, l Labels, width int) {
	names := edges(h.X)
	left, right, most := 0, 0, 0.0
	values := make([]string, h.X.Bins)
	for i := range h.X.Bins {
		v := bin(h, h.SumW, i, 0)
		values[i] = number(v)
		right = max(right, len(values[i]))
		most = max(most, finite(v))
	}
	for _, n := range names {
		left = max(left, len(n))
	}
	room := max(4, width-2*left-right-6)
	fmt.Fprintf(b, "%s of %s\n", l.content(), l.X)
	for i := range h.X.Bins {
		end := ")"
		if i == h.X.Bins-1 {
			end = "]"
		}
		bar := ""
		if v := finite(bin(h, h.SumW, i, 0)); v > 0 {
			n := int(math.Round(v / most * float64(room*8)))
			bar = strings.Repeat("█", n/8) + eighths[n%8]
			if n == 0 {
				bar = "▏" // something is there
			}
		}
		pad := room - utf8.RuneCountInString(bar)
		fmt.Fprintf(b, "[%*s, %*s%s %s%s %*s\n", left, names[i], left, names[i+1], end, bar, strings.Repeat(" ", pad), right, values[i])
	}
}

var shades = []rune(" ░▒▓█")

// grid prints a character for each bin, y upwards; several bins where there is not the room.
func grid(b *strings.Builder, h *ops.Hist, l Labels, width int) {
	yNames := edges(h.Y)
	left := 0
	for _, n := range yNames {
		left = max(left, len(n))
	}
	room := max(4, width-left-3)
	joinX := (h.X.Bins + room - 1) / room
	cols := (h.X.Bins + joinX - 1) / joinX
	wide := min(2, max(1, room/cols))
	// A character is twice as high as wide: as many bins to a line as make the grid about square.
	square := max(1, cols*wide/2)
	joinY := (h.Y.Bins + square - 1) / square
	lines := (h.Y.Bins + joinY - 1) / joinY
	sums := make([]float64, cols*lines)
	most := 0.0
	for iy := range h.Y.Bins {
		for ix := range h.X.Bins {
			at := iy/joinY*cols + ix/joinX
			sums[at] += finite(bin(h, h.SumW, ix, iy))
		}
	}
	for _, v := range sums {
		most = max(most, v)
	}
	fmt.Fprintf(b, "%s of %s (across) and %s (up)\n", l.content(), l.X, l.Y)
	for line := lines - 1; line >= 0; line-- {
		fmt.Fprintf(b, "%*s │", left, yNames[line*joinY])
		for c := range cols {
			shade := 0
			if v := sums[line*cols+c]; v > 0 {
				shade = max(1, min(len(shades)-1, int(math.Ceil(v/most*float64(len(shades)-1)))))
			}
			b.WriteString(strings.Repeat(string(shades[shade]), wide))
		}
		b.WriteString("│\n")
	}
	xNames := edges(h.X)
	first, last := xNames[0], xNames[len(xNames)-1]
	gap := max(1, cols*wide-len(first)-len(last))
	fmt.Fprintf(b, "%*s  %s%s%s\n", left, "", first, strings.Repeat(" ", gap), last)
	fmt.Fprintf(b, "darkest: %s\n", number(most))
}
