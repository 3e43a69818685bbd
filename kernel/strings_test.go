package kernel

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawStrings returns n values of size bytes made of few characters, so that many are equal or nearly so.
func drawStrings(t *rapid.T, name string, n, size, unit int) []byte {
	v := make([]byte, n*size)
	chars := rapid.SliceOfN(rapid.IntRange(0, 40), n*size/unit, n*size/unit).Draw(t, name)
	for i, c := range chars {
		few := "\x00\x00\x00 \t`AZbz{"
		switch {
		case c < len(few):
			v[i*unit] = few[c]
		case c == 40 && unit == 4:
			v[i*unit] = 0xe9 // é
		default:
			v[i*unit] = 'a'
		}
	}
	return v
}

// TestStringsTwin compares the loops over words with the one over characters that defines them.
func TestStringsTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int{1, 4}).Draw(t, "unit")
		sizeA := unit * rapid.IntRange(1, 40).Draw(t, "width")
		sizeB := sizeA
		if rapid.Bool().Draw(t, "other width") {
			sizeB = unit * rapid.IntRange(1, 70).Draw(t, "width b")
		}
		n := rapid.IntRange(0, 140).Draw(t, "rows")
		repeat := rapid.SampledFrom([]string{"none", "a", "b"}).Draw(t, "repeat")
		rowsA, rowsB := n, n
		if n > 0 && repeat == "a" {
			rowsA = 1
		}
		if n > 0 && repeat == "b" {
			rowsB = 1
		}
		a, b := drawStrings(t, "a", rowsA, sizeA, unit), drawStrings(t, "b", rowsB, sizeB, unit)
		// Values of b that are those of a, as far as they fit.
		for i := range min(rowsA, rowsB) {
			if i%2 == 0 {
				clear(b[i*sizeB:][:sizeB])
				copy(b[i*sizeB:][:sizeB], a[i*sizeA:][:sizeA])
			}
		}
		shift := rapid.IntRange(0, 7).Draw(t, "misaligned") / unit * unit
		guarded := slices.Concat(make([]byte, shift), a, []byte{'a', 'a'})
		a = guarded[shift:][:len(a):len(a)]
		got, want := make([]uint64, Words(n)+1), make([]uint64, Words(n)+1)
		got[Words(n)], want[Words(n)] = 7, 7
		EqualStrings(got[:Words(n)], a, sizeA, b, sizeB, n)
		reference := func(accept Accept) {
			if unit == 4 {
				orderStrings(want[:Words(n)], points(a), sizeA/4, points(b), sizeB/4, n, accept)
			} else {
				orderStrings(want[:Words(n)], a, sizeA, b, sizeB, n, accept)
			}
		}
		reference(AcceptEqual)
		if !slices.Equal(got, want) {
			t.Fatalf("%x, want %x: %q == %q", got, want, a, b)
		}
		for accept := range Accept(8) {
			reference(accept)
			if unit == 4 {
				OrderText(got[:Words(n)], a, sizeA, b, sizeB, n, accept)
			} else {
				OrderBytes(got[:Words(n)], a, sizeA, b, sizeB, n, accept)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%x, want %x: order %b of %q and %q", got, want, accept, a, b)
			}
		}
	})
}

// TestStringsAgainstPackageStrings compares the kernels with packages bytes and strings, value by value.
func TestStringsAgainstPackageStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int{1, 4}).Draw(t, "unit")
		n := rapid.IntRange(1, 70).Draw(t, "rows")
		sizeA, sizeB := unit*rapid.IntRange(1, 9).Draw(t, "width a"), unit*rapid.IntRange(1, 4).Draw(t, "width b")
		rowsB := rapid.SampledFrom([]int{1, n}).Draw(t, "rows b")
		a, b := drawStrings(t, "a", n, sizeA, unit), drawStrings(t, "b", rowsB, sizeB, unit)
		text := func(v []byte) string {
			if unit == 1 {
				return string(v)
			}
			var s strings.Builder
			for _, c := range points(v) {
				s.WriteRune(rune(c))
			}
			return s.String()
		}
		value := func(v []byte, size, i int) string {
			return strings.TrimRight(text(v[i*size:][:size]), "\x00")
		}
		bits := func(where Affix) []uint64 {
			out := make([]uint64, Words(n))
			HasAffix(out, a, sizeA, b, sizeB, n, unit, where)
			return out
		}
		prefix, suffix, anywhere := bits(Prefix), bits(Suffix), bits(Anywhere)
		at, length := make([]int64, n), make([]int64, n)
		Find(at, a, sizeA, b, sizeB, unit)
		Length(length, a, sizeA, unit)
		stripped, upper, lower := bytes.Clone(a), bytes.Clone(a), bytes.Clone(a)
		Strip(stripped, a, sizeA, unit, true, false)
		Upper(upper, a, unit)
		Lower(lower, a, unit)
		for i := range n {
			x, y := value(a, sizeA, i), value(b, sizeB, i%rowsB)
			has := func(v []uint64) bool { return v[i/64]>>(i%64)&1 != 0 }
			if has(prefix) != strings.HasPrefix(x, y) || has(suffix) != strings.HasSuffix(x, y) || has(anywhere) != strings.Contains(x, y) {
				t.Fatalf("%q in %q: %v %v %v", y, x, has(prefix), has(suffix), has(anywhere))
			}
			want := strings.Index(x, y)
			if want > 0 {
				want = len([]rune(x[:want]))
			}
			if at[i] != int64(want) || length[i] != int64(len([]rune(x))) {
				t.Fatalf("%q is at %d of %q of %d characters", y, at[i], x, length[i])
			}
			if got, want := value(upper, sizeA, i), strings.ToUpper(x); got != want {
				t.Fatalf("%q is %q in capitals, want %q", x, got, want)
			}
			if got, want := value(lower, sizeA, i), strings.ToLower(x); got != want {
				t.Fatalf("%q is %q in small letters, want %q", x, got, want)
			}
			if got, want := value(stripped, sizeA, i), strings.TrimLeft(x, " \t\n\v\f\r"); got != want {
				t.Fatalf("%q stripped is %q, want %q", x, got, want)
			}
		}
	})
}

// orderStrings is the meaning of [OrderBytes], [OrderText] and [EqualStrings], character by character; the fast forms are
// compared with it.
func orderStrings[T uint8 | uint32](dst []uint64, a []T, widthA int, b []T, widthB, n int, accept Accept) {
	clear(dst)
	stepA, stepB := widthA*step(len(a)/widthA, n), widthB*step(len(b)/widthB, n)
	for i := range n {
		x, y := a[i*stepA:][:widthA], b[i*stepB:][:widthB]
		dst[i/64] |= accept.has(orderPadded(x, y)) << (i % 64)
	}
}
