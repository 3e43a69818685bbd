package csv_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

// A model reads a whole text the plain way: records character by character, dtypes by rule C43 of the conversion rules,
// with regular expressions and numbers of any size. It is what the reader is compared with.
type model struct {
	delimiter, quote byte
	noQuotes         bool
	noHeader         bool
	missing          []string
	nulls            map[string]string
}

// records returns the cells of all records; ok is false if a quote is out of place.
func (m model) records(s string) (records [][]string, ok bool) {
	s = strings.TrimPrefix(s, "\ufeff")
	for i := 0; i < len(s); {
		if s[i] == '\n' || s[i] == '\r' {
			i++
			continue
		}
		var record []string
		for more := true; more; {
			cell, next, ok := m.cell(s, i)
			if !ok {
				return nil, false
			}
			record = append(record, cell)
			i = next
			switch {
			case i == len(s):
				more = false
			case s[i] == m.delimiter:
				i++
			case strings.HasPrefix(s[i:], "\r\n"):
				i += 2
				more = false
			default:
				i++
				more = false
			}
		}
		records = append(records, record)
	}
	return records, true
}

// cell returns the cell at i and where it ends.
func (m model) cell(s string, i int) (cell string, next int, ok bool) {
	ends := string([]byte{m.delimiter, '\r', '\n'})
	if m.noQuotes || i == len(s) || s[i] != m.quote {
		n := strings.IndexAny(s[i:], ends)
		if n < 0 {
			n = len(s) - i
		}
		return s[i : i+n], i + n, true
	}
	for i++; i < len(s); i++ {
		if s[i] == m.quote {
			if i++; i == len(s) || s[i] != m.quote {
				return cell, i, i == len(s) || strings.IndexByte(ends, s[i]) >= 0
			}
		}
		cell += s[i : i+1]
	}
	return "", 0, false
}

// read returns the table that a text is, or false if there is none.
func (m model) read(s string) (*table, bool) {
	records, ok := m.records(s)
	if !ok || len(records) == 0 || !utf8.ValidString(s) {
		return nil, false
	}
	names := records[0]
	if m.noHeader {
		names = nil
		for i := range records[0] {
			names = append(names, strconv.Itoa(i))
		}
	} else {
		records = records[1:]
	}
	t := &table{Rows: len(records)}
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			return nil, false
		}
		seen[name] = true
		cells := make([]string, len(records))
		for r, record := range records {
			if len(record) > len(names) {
				return nil, false
			}
			if i < len(record) {
				cells[r] = record[i]
			}
			for _, spelling := range m.missing {
				if cells[r] == spelling {
					cells[r] = ""
				}
			}
			if cells[r] == "" {
				cells[r] = m.nulls[name]
			}
		}
		typ, raw, ok := infer(cells)
		if !ok {
			return nil, false
		}
		t.Columns = append(t.Columns, tableColumn{Name: name, Type: typ, Raw: raw})
	}
	return t, true
}

var (
	integers = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)
	decimals = regexp.MustCompile(`^[+-]?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))$`)
	booleans = regexp.MustCompile(`^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$`) // (?i:s) would be ſ, too
)

// infer returns dtype and bytes of a column of cells, of which the empty ones are missing.
func infer(cells []string) (typ, raw string, ok bool) {
	all := func(re *regexp.Regexp) bool {
		for _, c := range cells {
			if c != "" && !re.MatchString(strings.Trim(c, " \t\n\v\f\r")) {
				return false
			}
		}
		return true
	}
	missing, full, width := false, false, 1
	for _, c := range cells {
		missing = missing || c == ""
		full = full || c != ""
		width = max(width, utf8.RuneCountInString(c))
	}
	var b []byte
	switch {
	case len(cells) == 0:
	case !full:
		for range cells {
			b = binary.LittleEndian.AppendUint64(b, 0x7ff8<<48)
		}
		return "<f8", string(b), true
	case all(integers):
		lo, hi, far := new(big.Int), new(big.Int), false
		var values []*big.Int
		for _, c := range cells {
			v, ok := new(big.Int).SetString(strings.Trim(c, "+ \t\n\v\f\r"), 10)
			if ok {
				far = far || new(big.Int).Abs(v).Cmp(big.NewInt(1<<53)) > 0
				if v.Cmp(lo) < 0 {
					lo = v
				}
				if v.Cmp(hi) > 0 {
					hi = v
				}
			}
			values = append(values, v)
		}
		switch {
		case missing && far:
			return "", "", false
		case missing:
			return floats(cells)
		case lo.IsInt64() && hi.IsInt64():
			for _, v := range values {
				b = binary.LittleEndian.AppendUint64(b, uint64(v.Int64()))
			}
			return "<i8", string(b), true
		case lo.Sign() >= 0 && hi.IsUint64():
			for _, v := range values {
				b = binary.LittleEndian.AppendUint64(b, v.Uint64())
			}
			return "<u8", string(b), true
		}
	case all(decimals):
		return floats(cells)
	case all(booleans) && !missing:
		for _, c := range cells {
			v := byte(0)
			if strings.EqualFold(strings.Trim(c, " \t\n\v\f\r"), "true") {
				v = 1
			}
			b = append(b, v)
		}
		return "|b1", string(b), true
	}
	for _, c := range cells {
		at := len(b)
		b = colstore.AppendText(b, c)
		b = append(b, make([]byte, 4*width-(len(b)-at))...)
	}
	return "<U" + strconv.Itoa(width), string(b), true
}

func floats(cells []string) (typ, raw string, ok bool) {
	var b []byte
	for _, c := range cells {
		word := strings.Trim(c, " \t\n\v\f\r")
		v, _ := strconv.ParseFloat(word, 64) // out of range is an infinity
		bits := math.Float64bits(v)
		if name := strings.ToLower(strings.Trim(word, "+-")); name == "nan" || name == "" {
			bits = 0x7ff8 << 48
			if strings.HasPrefix(word, "-") {
				bits |= 1 << 63
			}
		}
		b = binary.LittleEndian.AppendUint64(b, bits)
	}
	return "<f8", string(b), true
}
