package csv_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cellTexts are cells by what they have in common; a column draws from one or two of them.
var cellTexts = [][]string{
	{"0", "1", "-1", "42", "+7", "-0", "12345678", "123456789", "9007199254740992", "-9007199254740992", " 5", "6 "},
	{"9223372036854775807", "-9223372036854775808", "9007199254740993", "1"},
	{"18446744073709551615", "9223372036854775808", "0"},
	{"18446744073709551616", "-9223372036854775809", "5"},
	{
		"1.5", ".5", "5.", "-0.0", "1e3", "1E-05", "2.5e+308", "1e400", "-1e-400", "inf", "-Infinity", "NaN", "-nan", "0.1", " 7.25 ",
		"0.3333333333333333", "123456789012345678901234567890", "0.00000000000000000000000001234567890123456789", "1e000005", "5e-324",
	},
	{"true", "FALSE", "True", "false", " true"},
	{"007", "00", "1_0", "0x10", "1e", ".", "-", "+", "e5", "1.2.3", "--1", "1 2", "infin", "01.5", "- 1", "tru"},
	{"x", "a b", " lead", "trail ", "é", "日本語", "😀", "x\x00y", "NA", "null", "5\"", "a\"b\"", "longer than the others are"},
	{"", "", "", "NA"},
}

// drawText draws a text of records; most are well formed.
func drawText(t *rapid.T, delimiter, quote byte) string {
	columns := rapid.IntRange(1, 5).Draw(t, "columns")
	rows := rapid.IntRange(0, 40).Draw(t, "rows")
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r"}).Draw(t, "line end")
	odd := rapid.IntRange(0, 3).Draw(t, "how odd") // 0: nothing out of order
	kinds := make([][]string, columns)
	for c := range kinds {
		kinds[c] = rapid.SampledFrom(cellTexts).Draw(t, "kind")
		if rapid.Bool().Draw(t, "two kinds") {
			kinds[c] = append(slices.Clip(kinds[c]), rapid.SampledFrom(cellTexts).Draw(t, "kind")...)
		}
	}
	q := string(quote)
	quoted := func(s string) string { return q + strings.ReplaceAll(s, q, q+q) + q }
	var b strings.Builder
	if rapid.IntRange(0, 9).Draw(t, "mark") == 0 {
		b.WriteString("\ufeff")
	}
	for r := -1; r < rows; r++ {
		n := columns
		if odd > 1 && rapid.IntRange(0, 9).Draw(t, "ragged") == 0 {
			n = rapid.IntRange(1, columns+odd-2).Draw(t, "cells")
		}
		for c := range n {
			if c > 0 {
				b.WriteByte(delimiter)
			}
			cell := fmt.Sprintf("c%d", c)
			if r >= 0 && c < columns {
				cell = rapid.SampledFrom(kinds[c]).Draw(t, "cell")
			}
			switch rapid.IntRange(0, 7).Draw(t, "form") {
			case 0:
				cell = quoted(cell)
			case 1:
				if odd > 0 {
					cell = quoted(cell + rapid.SampledFrom([]string{"\n", "\r\n", "\r", string(delimiter), q, q + q, "5"}).Draw(t, "inside"))
				}
			default:
				if strings.HasPrefix(cell, q) || strings.ContainsAny(cell, string(delimiter)) || columns == 1 && cell == "" {
					cell = quoted(cell)
				}
			}
			b.WriteString(cell)
		}
		if r == rows-1 && rapid.Bool().Draw(t, "no last line end") {
			break
		}
		if odd > 0 {
			end = rapid.SampledFrom([]string{end, end, end, end, end, "\n", "\r\n", "\r", end + end}).Draw(t, "line end")
		}
		b.WriteString(end)
	}
	return b.String()
}

// drawReading draws how to read: batches and blocks of any size.
func drawReading(t *rapid.T) reading {
	r := reading{options: map[string]any{}}
	if rapid.IntRange(0, 3).Draw(t, "blocks as usual") > 0 {
		r.blocks = [3]int{rapid.IntRange(1, 200).Draw(t, "block bytes"), rapid.IntRange(1, 100).Draw(t, "block cells"), rapid.IntRange(1, 20).Draw(t, "block rows")}
	}
	r.scan.BatchRows = rapid.SampledFrom([]int{0, 1, 3, 7, 1000}).Draw(t, "batch rows")
	return r
}

// sameAsModel demands that the reading gives what the model says, or an error that names the file where it says none.
func sameAsModel(t rapid.TB, path string, m model, r reading, text string) {
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	want, ok := m.read(text)
	got, err := r.read(path)
	if !ok {
		if err == nil {
			t.Fatalf("%q reads as\n%s, want an error", text, got)
		} else if !strings.Contains(err.Error(), path) {
			t.Fatalf("%q: the error names no file: %v", text, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for i := range got.Columns {
		got.Columns[i].Values = nil
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%q: %s", text, d)
	}
}

func TestReaderAgainstModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	rapid.Check(t, func(rt *rapid.T) {
		m := model{delimiter: rapid.SampledFrom([]byte{',', ',', '\t', ';'}).Draw(rt, "delimiter"), quote: '"'}
		r := drawReading(rt)
		r.options["delimiter"] = string(m.delimiter)
		if rapid.IntRange(0, 4).Draw(rt, "other quote") == 0 {
			m.quote = '\''
			r.options["quote"] = "'"
		}
		if m.noHeader = rapid.IntRange(0, 4).Draw(rt, "no header") == 0; m.noHeader {
			r.options["header"] = false
		}
		if rapid.IntRange(0, 3).Draw(rt, "missing") == 0 {
			m.missing = []string{"NA", "null"}
			r.options["missing"] = m.missing
		}
		if rapid.IntRange(0, 3).Draw(rt, "nulls") == 0 {
			value := rapid.SampledFrom([]string{"-1", "0.5", "none", "true", "18446744073709551615"}).Draw(rt, "value")
			m.nulls = map[string]string{"c0": value, "c1": value, "0": value}
			r.nulls.Values = m.nulls
		}
		text := drawText(rt, m.delimiter, m.quote)
		if rapid.IntRange(0, 5).Draw(rt, "no quotes") == 0 {
			m.noQuotes = true
			r.options["quote"] = ""
		}
		sameAsModel(rt, path, m, r, text)
	})
}

// A text that was put together from what matters to the reader, without any order.
func TestChaosAgainstModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	pieces := []string{",", ",", "\n", "\n", "\r", "\"", "\"", "1", "23", "a", " ", "é", ".", "-", "\xff", "12345678"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(rt, "pieces"), "")
		sameAsModel(rt, path, model{delimiter: ',', quote: '"'}, drawReading(rt), text)
	})
}

func FuzzReader(f *testing.F) {
	f.Add("a,b\n1,2\n", uint8(0), uint8(0))
	f.Add("\ufeffa;b\r\n\"x\"\"y\";\r\n;5\r", uint8(1), uint8(9))
	f.Add("a,b\n\"1\n2\",x\n3,\"\"\n\n4", uint8(2), uint8(40))
	f.Add("x\n9007199254740993\n\"\"\n", uint8(0), uint8(3))
	f.Add("a,b,c\n1,true,0.5\n-7,FALSE,1e5\n,,inf\n1,2,3,4\n", uint8(0), uint8(17))
	f.Add("a,b\nTrue,falſe\nfAlSe,TRUE\n", uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, text string, how, size uint8) {
		path := filepath.Join(t.TempDir(), "t.csv")
		m := model{delimiter: ",;\t"[how%3], quote: '"', noHeader: how&4 != 0, noQuotes: how&8 != 0}
		r := reading{options: map[string]any{"delimiter": string(m.delimiter), "header": !m.noHeader}}
		if m.noQuotes {
			r.options["quote"] = ""
		}
		if how&16 != 0 {
			m.missing = []string{"NA", "-"}
			r.options["missing"] = m.missing
		}
		sameAsModel(t, path, m, r, text)
		r.scan.BatchRows = 1
		r.blocks = [3]int{int(size), 1 + int(size)/5, 1 + int(size)%7}
		if size > 0 {
			sameAsModel(t, path, m, r, text)
		}
	})
}
