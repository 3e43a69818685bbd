package decimal

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// column returns the numbers of a column that stand side by side, and last a byte that would spoil them.
func column(cells []string, rest byte) Numbers {
	c := Numbers{Text: []byte{}}
	for _, s := range cells {
		c.Lo = append(c.Lo, uint32(len(c.Text)))
		c.Text = append(c.Text, s...)
		c.Hi = append(c.Hi, uint32(len(c.Text)))
		c.Text = append(c.Text, rest)
	}
	c.Text = append(c.Text, slices.Repeat([]byte{rest}, Behind-1)...)
	return c
}

// checkColumn demands that the loops over columns read what the functions for one number read.
func checkColumn(t rapid.TB, cells []string, rest byte) (fast int) {
	c := column(cells, rest)
	fast += checkWholes[int8](t, c, cells) + checkWholes[int16](t, c, cells) + checkWholes[int32](t, c, cells) + checkWholes[int64](t, c, cells)
	fast += checkWholes[uint8](t, c, cells) + checkWholes[uint16](t, c, cells) + checkWholes[uint32](t, c, cells) + checkWholes[uint64](t, c, cells)
	fast += checkFloats[uint32](t, c, cells, Float32) + checkFloats[uint64](t, c, cells, Float64)
	for i := 0; i < len(cells); i++ {
		stopped, negative := SkipInts(c, i, 15)
		want := uint64(0)
		for _, s := range cells[i:stopped] {
			v, err := strconv.ParseInt(s, 10, 64)
			if s != "" && (err != nil || strconv.FormatInt(v, 10) != s && s != "-0") {
				t.Fatalf("%q is skipped as a whole number", s)
			}
			if v < 0 {
				want++
			}
		}
		if negative != want {
			t.Fatalf("%q: %d below zero, want %d", cells[i:stopped], negative, want)
		}
		if i = stopped; i < len(cells) {
			if v, ok := ParseInt(c.Text, int(c.Lo[i]), int(c.Hi[i])); ok && v < 1e15 && v > -1e15 {
				t.Fatalf("%q is not skipped as a whole number", cells[i])
			}
		}
	}
	for i := 0; i < len(cells); i++ {
		stopped := SkipNumbers(c, i)
		for j := i; j < stopped; j++ {
			if cells[j] != "" && !IsNumber(c.Text, int(c.Lo[j]), int(c.Hi[j])) {
				t.Fatalf("%q is skipped as a number", cells[j])
			}
		}
		fast += stopped - i
		i = stopped
	}
	return fast
}

func checkWholes[T Whole](t rapid.TB, c Numbers, cells []string) (fast int) {
	parse := func(i int) (v uint64, ok bool) {
		if s, e := int(c.Lo[i]), int(c.Hi[i]); ^T(0) > 0 {
			v, ok = ParseUint(c.Text, s, e)
		} else {
			var signed int64
			signed, ok = ParseInt(c.Text, s, e)
			v = uint64(signed)
		}
		return v, ok && uint64(T(v)) == v
	}
	for _, filled := range []bool{true, false} {
		dst := make([]T, len(cells))
		for i := 0; i < len(cells); i++ {
			stopped := ReadWholes(dst, c, i, 77, filled)
			for j := i; j < stopped; j++ {
				v, ok := uint64(77), filled
				if cells[j] != "" {
					v, ok = parse(j)
				}
				if !ok || uint64(dst[j]) != v {
					t.Fatalf("%q reads as %T %d, want %d, %v", cells[j], dst[j], dst[j], T(v), ok)
				}
			}
			fast += stopped - i
			if i = stopped; i < len(cells) {
				if _, ok := parse(i); ok {
					t.Fatalf("%q is not read as %T", cells[i], dst[i])
				}
			}
		}
	}
	return fast
}

func checkFloats[T uint32 | uint64](t rapid.TB, c Numbers, cells []string, parse Parser) (fast int) {
	for _, filled := range []bool{true, false} {
		dst := make([]T, len(cells))
		for i := 0; i < len(cells); i++ {
			stopped := ReadFloats(dst, c, i, Powers(), 77, filled)
			for j := i; j < stopped; j++ {
				v, ok := uint64(77), filled
				if cells[j] != "" {
					v, ok = parse(c.Text, int(c.Lo[j]), int(c.Hi[j]), Powers())
				}
				if !ok || uint64(dst[j]) != v {
					t.Fatalf("%q reads as %T %x, want %x, %v", cells[j], dst[j], dst[j], v, ok)
				}
			}
			fast += stopped - i
			i = stopped
		}
	}
	return fast
}

// Numbers of every number of digits before and behind the point, and with every byte in every place.
func TestColumnOfAllLengths(t *testing.T) {
	t.Parallel()
	var cells []string
	for before := range 22 {
		for behind := range 26 {
			digits := strconv.FormatUint(math.MaxUint64, 10) + "12345678901234567890123456789"
			for _, sign := range []string{"", "-", "+"} {
				cells = append(cells, sign+digits[:before], sign+digits[:before]+"."+digits[before:before+behind], sign+"0."+digits[:behind], sign+"0"+digits[:before])
			}
		}
	}
	for _, number := range []string{"1", "12345", "12345678", "1234567890123456", "1.5", "123.1234567", "1.12345678", "12.12345678901", "123.1234567890123456"} {
		for i := range len(number) {
			for b := range 256 {
				cells = append(cells, number[:i]+string([]byte{byte(b)})+number[i+1:])
			}
		}
	}
	if n := checkColumn(t, cells, '1'); n < len(cells)/2 {
		t.Errorf("only %d of %d numbers took the fast way", n, len(cells))
	}
	checkColumn(t, cells, ',')
}

func TestColumn(t *testing.T) {
	t.Parallel()
	cell := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "0", "-0", "-", ".", "-0.0", "00", "1.", ".5", "1e5", "inf", "9007199254740993", "9007199254740992.5", "16777217", "128", "-128", "65536"}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})`),
		rapid.StringMatching(`-?[0-9]{1,8}(\.[0-9]{0,20})?`),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Float64Range(-1e7, 1e7).Draw(t, "v")) }),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Float32Range(-1, 1).Draw(t, "v")) }),
	)
	fast, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(cell, 1, 40).Draw(t, "cells")
		all += len(cells)
		fast += checkColumn(t, cells, rapid.SampledFrom([]byte(",1.\n")).Draw(t, "rest"))
	})
	if fast < all {
		t.Errorf("only %d of %d numbers took the fast way", fast, all)
	}
}

func BenchmarkColumn(b *testing.B) {
	const n = 1 << 14
	for _, k := range []struct {
		name string
		cell func(i uint64) string
	}{
		{"whole", func(i uint64) string { return strconv.FormatUint(i>>(44+i%16), 10) }},
		{"price", func(i uint64) string { return strconv.FormatFloat(float64(i>>44)/100, 'f', 2, 64) }},
		{"shortest", func(i uint64) string { return strconv.FormatFloat(float64(i)/(1<<64), 'f', -1, 64) }},
	} {
		var cells []string
		for i := range uint64(n) {
			cells = append(cells, k.cell((i+1)*0x9e3779b97f4a7c15))
		}
		c := column(cells, ',')
		ints, floats := make([]int64, n), make([]uint64, n)
		run := func(name string, f func(i int) int) {
			b.Run(k.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					for i := 0; i < n; i++ {
						i = f(i)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
			})
		}
		each := func(i int) (int, int) { return int(c.Lo[i]), int(c.Hi[i]) }
		powers := Powers()
		if k.name == "whole" {
			run("column", func(i int) int { return ReadWholes(ints, c, i, 0, true) })
			run("one", func(i int) int { s, e := each(i); ints[i], _ = ParseInt(c.Text, s, e); return i })
			run("skip column", func(i int) int { i, _ = SkipInts(c, i, 15); return i })
			run("skip one", func(i int) int { s, e := each(i); _ = IsUint(c.Text, s, e); return i })
			continue
		}
		run("column", func(i int) int { return ReadFloats(floats, c, i, powers, 0, true) })
		run("one", func(i int) int { s, e := each(i); floats[i], _ = Float64(c.Text, s, e, powers); return i })
		run("skip column", func(i int) int { return SkipNumbers(c, i) })
		run("skip one", func(i int) int { s, e := each(i); _ = IsNumber(c.Text, s, e); return i })
	}
}
