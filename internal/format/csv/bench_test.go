package csv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/source/format"
)

// perUnit reports nanoseconds a value or a byte.
func perUnit(b *testing.B, units int, name string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+name)
}

func BenchmarkFloat(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []struct {
		name string
		make func() string
	}{
		{"shortest", func() string { return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64) }},
		{"price", func() string { return strconv.FormatFloat(1000*r.Float64(), 'f', 2, 64) }},
	} {
		const n = 1 << 15 // more than a branch predictor remembers
		var text []byte
		var lo, hi []int
		for range n {
			lo = append(lo, len(text))
			text = append(text, k.make()...)
			hi = append(hi, len(text))
			text = append(text, ',')
		}
		text = append(text, make([]byte, pad)...)
		powers := decimal.Powers()
		b.Run(k.name+"/fast", func(b *testing.B) {
			for b.Loop() {
				for i := range lo {
					if _, ok := decimal.Float64(text, lo[i], hi[i], powers); !ok {
						b.Fatal(string(text[lo[i]:hi[i]]))
					}
				}
			}
			perUnit(b, n, "value")
		})
		b.Run(k.name+"/strconv", func(b *testing.B) {
			for b.Loop() {
				for i := range lo {
					if _, err := strconv.ParseFloat(string(text[lo[i]:hi[i]]), 64); err != nil {
						b.Fatal(err)
					}
				}
			}
			perUnit(b, n, "value")
		})
	}
}

func BenchmarkTokenize(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []struct {
		name string
		cell func(c int) string
	}{
		{"numbers", func(int) string { return strconv.FormatFloat(r.NormFloat64(), 'f', 6, 64) }},
		{"quotes", func(c int) string {
			if c%4 == 0 {
				return `"St. Gallen, SG"`
			}
			return strconv.Itoa(r.IntN(1_000_000))
		}},
	} {
		const columns = 20
		var text []byte
		for len(text) < defaultSizes.text {
			for c := range columns {
				text = append(append(text, k.cell(c)...), ',')
			}
			text[len(text)-1] = '\n'
		}
		d := testDialect(b, nil)
		block := newBlock(columns, defaultSizes)
		block.text = append(text, make([]byte, slack)...)[:len(text)]
		b.Run(k.name+"/regular", func(b *testing.B) {
			for b.Loop() {
				if !block.regular(d) {
					b.Fatal("not regular")
				}
			}
			perUnit(b, len(text), "byte")
		})
		b.Run(k.name+"/plain", func(b *testing.B) {
			for b.Loop() {
				if err := block.plain(d); err != nil {
					b.Fatal(err)
				}
			}
			perUnit(b, len(text), "byte")
		})
	}
}

// mixed returns a file of numbers, words, dates, and some cells that are missing or quoted.
func mixed(b *testing.B) string {
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	text.WriteString("id,small,big,unit,normal,price,maybe,ok,word,city,when\n")
	for i := range 100_000 {
		maybe := ""
		if r.IntN(4) > 0 {
			maybe = strconv.FormatFloat(r.NormFloat64(), 'f', 3, 64)
		}
		fmt.Fprintf(&text, "%d,%d,%d,%v,%v,%.2f,%s,%v,%s,%s,2024-05-%02dT03:%02d:05\n", i, r.IntN(200)-100, r.Int64(), r.Float64(), r.NormFloat64(), 1000*r.Float64(),
			maybe, r.IntN(2) == 0, []string{"alpha", "beta", "gamma"}[r.IntN(3)], []string{"Zürich", "Bern", "\"St. Gallen, SG\""}[r.IntN(3)], 1+r.IntN(28), r.IntN(60))
	}
	path := filepath.Join(b.TempDir(), "mixed.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	return path
}

// openMixed returns a source of the file, which took the first pass.
func openMixed(b *testing.B, path string) colstore.Source {
	o, err := format.CheckOptions("reading csv", Descriptor.Read.Options, nil)
	if err != nil {
		b.Fatal(err)
	}
	f, err := Descriptor.Read.Open(b.Context(), &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	s, err := f.Source(b.Context(), format.Projection{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkInfer(b *testing.B) {
	path := mixed(b)
	for b.Loop() {
		openMixed(b, path)
	}
}

func BenchmarkScan(b *testing.B) {
	s := openMixed(b, mixed(b))
	for b.Loop() {
		for _, err := range s.Scan(b.Context(), colstore.Scan{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	s := openMixed(b, mixed(b))
	var batches []*colstore.Batch
	for batch, err := range s.Scan(b.Context(), colstore.Scan{}) {
		if err != nil {
			b.Fatal(err)
		}
		batches = append(batches, batch.Detach())
	}
	o, err := format.CheckOptions("writing csv", Descriptor.Write.Options, nil)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "out.csv")
	for b.Loop() {
		w, err := Descriptor.Write.Create(b.Context(), &format.CreateRequest{Path: path, Schema: s.Schema(), Options: o})
		if err != nil {
			b.Fatal(err)
		}
		for _, batch := range batches {
			if err := w.Write(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Abort(); err != nil {
			b.Fatal(err)
		}
	}
}
