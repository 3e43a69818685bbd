package frame

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/text"
)

// A Preview is a few rows to look at, as a table of text.
type Preview struct {
	Title   string // what is shown, in the last line
	Columns int    // of the table, shown or not
	Names   []string
	Rows    []int64 // number of each row in its source
	Cells   [][]string
}

// PreviewOptions says how values are printed. The zero value is the default.
type PreviewOptions struct {
	Precision int // decimals of floats, 0 is the default of 6; a negative number is none
}

const (
	defaultPrecision = 6
	maxCell          = 32 // characters of a cell
)

// NewPreview prints the rows of b, whose numbers in the source are rows. title is what the table is called. It panics if b is
// nil.
func NewPreview(title string, b *colstore.Batch, rows []int64, o PreviewOptions) *Preview {
	precision := o.Precision
	switch {
	case precision == 0:
		precision = defaultPrecision
	case precision < 0:
		precision = 0
	}
	p := &Preview{Title: title, Columns: b.Schema().Len(), Names: b.Schema().Names(), Rows: rows, Cells: make([][]string, b.Rows())}
	for i := range p.Cells {
		p.Cells[i] = make([]string, p.Columns)
	}
	for j := range p.Columns {
		for i, cell := range cells(b.At(j), precision) {
			p.Cells[i][j] = clean(cell)
		}
	}
	return p
}

// clean cuts a cell to its width and replaces what would move a terminal's cursor.
func clean(s string) string {
	n := 0
	for at := range s {
		if n == maxCell {
			s = s[:at]
			break
		}
		n++
	}
	return printable(s)
}

// cells prints the values of a column the way they look best together.
func cells(c colstore.Column, precision int) []string {
	out := make([]string, c.Rows())
	t := c.Type()
	switch t.Kind() {
	case colstore.KindFloat:
		for i := range out {
			out[i] = fixed(text.Float(t, c.At(i)), precision)
		}
		trimZeros(out)
	case colstore.KindDatetime:
		dates(out, c)
	case colstore.KindTimedelta:
		for i := range out {
			out[i] = span(text.Int(t, c.At(i)), t.Unit())
		}
	case colstore.KindBytes:
		for i := range out {
			v := c.AppendString(nil, i)
			if out[i] = string(v); !utf8.Valid(v) {
				out[i] = pythonBytes(v)
			}
		}
	default:
		for i := range out {
			out[i] = string(text.AppendPlain(nil, c, i))
		}
	}
	return out
}

func fixed(v float64, precision int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(v, 'f', precision, 64)
}

// trimZeros removes the zeros that end every number of a column, but for one after the point.
func trimZeros(cells []string) {
	cut := math.MaxInt
	for _, s := range cells {
		point := strings.IndexByte(s, '.')
		if point < 0 {
			continue // NaN, an infinity, or no decimals at all
		}
		zeros := len(s) - len(strings.TrimRight(s, "0"))
		cut = min(cut, zeros, len(s)-point-2)
	}
	if cut == math.MaxInt || cut <= 0 {
		return
	}
	for i, s := range cells {
		if strings.IndexByte(s, '.') >= 0 {
			cells[i] = s[:len(s)-cut]
		}
	}
}

// dates prints ISO dates with a blank before the time, which is left out if it is midnight everywhere.
func dates(out []string, c colstore.Column) {
	t := c.Type()
	midnight := true
	for i := range out {
		s := string(calendar.AppendISO(nil, text.Int(t, c.At(i)), t.Unit()))
		if _, clock, ok := strings.Cut(s, "T"); ok && s != "NaT" && strings.Trim(clock, "0:.") != "" {
			midnight = false
		}
		out[i] = s
	}
	for i, s := range out {
		if s == "NaT" {
			continue
		}
		if day, clock, ok := strings.Cut(s, "T"); ok {
			out[i] = day
			if !midnight {
				out[i] = day + " " + clock
			}
		}
	}
}

// span prints a timedelta as days and a clock, or its ticks if they are finer than microseconds or have no fixed length.
func span(v int64, u colstore.Unit) string {
	switch {
	case v == colstore.NaT:
		return "None"
	case calendar.IsCalendar(u) || u > colstore.Microsecond:
		return strconv.FormatInt(v, 10)
	}
	const day = 86400
	perSecond, _ := calendar.Ratio(colstore.Second, max(u, colstore.Second))
	var seconds, micros int64
	if u > colstore.Second {
		n := int64(perSecond)
		seconds, micros = v/n, v%n
		if micros < 0 {
			seconds, micros = seconds-1, micros+n
		}
		micros *= 1_000_000 / n
	} else {
		n, _ := calendar.Ratio(u, colstore.Second)
		if seconds = v * int64(n); seconds/int64(n) != v {
			return strconv.FormatInt(v, 10)
		}
	}
	days, rest := seconds/day, seconds%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	s := fmt.Sprintf("%d:%02d:%02d", rest/3600, rest/60%60, rest%60)
	if micros != 0 {
		s += fmt.Sprintf(".%06d", micros)
	}
	switch days {
	case 0:
		return s
	case 1, -1:
		return fmt.Sprintf("%d day, %s", days, s)
	default:
		return fmt.Sprintf("%d days, %s", days, s)
	}
}

// pythonBytes prints bytes that are no UTF-8 as Python spells them.
func pythonBytes(v []byte) string {
	var b strings.Builder
	b.WriteString("b'")
	for _, c := range v {
		switch {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// ellipsis stands for the columns that do not fit.
const ellipsis = "..."

// Text returns the table for a terminal of that many columns; columns that do not fit are left out, but for the first.
func (p *Preview) Text(width int) string {
	if len(p.Cells) == 0 {
		return fmt.Sprintf("[%s: empty, %d columns]", p.Title, p.Columns)
	}
	index := make([]string, len(p.Rows)+1)
	for i, r := range p.Rows {
		index[i+1] = strconv.FormatInt(r, 10)
	}
	table := [][]string{index}
	used := columnWidth(index)
	for j, name := range p.Names {
		col := []string{clean(name)}
		for _, row := range p.Cells {
			col = append(col, row[j])
		}
		w := 2 + columnWidth(col)
		reserve := 0
		if j < len(p.Names)-1 {
			reserve = 2 + len(ellipsis)
		}
		if j > 0 && used+w+reserve > width {
			more := make([]string, len(index))
			for i := range more {
				more[i] = ellipsis
			}
			table = append(table, more)
			break
		}
		used += w
		table = append(table, col)
	}
	widths := make([]int, len(table))
	for j, col := range table {
		widths[j] = columnWidth(col)
	}
	var b strings.Builder
	for i := range index {
		for j, col := range table {
			if j > 0 {
				b.WriteString("  ")
			}
			b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(col[i])))
			b.WriteString(col[i])
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[%s: showing %d rows x %d columns]", p.Title, len(p.Cells), p.Columns)
	return b.String()
}

func columnWidth(col []string) int {
	w := 0
	for _, s := range col {
		w = max(w, utf8.RuneCountInString(s))
	}
	return w
}

// maxHTMLColumns is how many columns an HTML table shows.
const maxHTMLColumns = 20

// HTML returns the table as HTML without a style of its own.
func (p *Preview) HTML() string {
	var b strings.Builder
	shown := min(p.Columns, maxHTMLColumns)
	b.WriteString("<table>\n<tr><th></th>")
	for _, n := range p.Names[:shown] {
		fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(n))
	}
	more := ""
	if shown < p.Columns {
		more = "<td>…</td>"
		b.WriteString("<th>…</th>")
	}
	b.WriteString("</tr>\n")
	for i, row := range p.Cells {
		fmt.Fprintf(&b, "<tr><th>%d</th>", p.Rows[i])
		for _, c := range row[:shown] {
			fmt.Fprintf(&b, "<td>%s</td>", html.EscapeString(c))
		}
		b.WriteString(more + "</tr>\n")
	}
	fmt.Fprintf(&b, "</table>\n<p>%s: showing %d rows x %d columns</p>\n", html.EscapeString(p.Title), len(p.Cells), p.Columns)
	return b.String()
}
