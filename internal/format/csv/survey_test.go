package csv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// surveyed is all that a first pass finds.
type surveyed struct {
	Rows     int64
	Places   string
	Longest  int
	Findings []string
	Err      string
}

// failer is what there is of a test and of a property.
type failer interface{ Fatal(args ...any) }

// surveyFile makes the first pass over a file in pieces of so many bytes.
func surveyFile(ctx context.Context, tb failer, path string, s sizes, threads int) surveyed {
	o, err := format.CheckOptions("reading csv", Descriptor.Read.Options, nil)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := openWith(ctx, &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits}, s)
	if err != nil {
		return surveyed{Err: err.Error()}
	}
	defer f.Close()
	guesses := make([]guess, len(f.names))
	for i := range guesses {
		guesses[i] = newGuess(i, colstore.DType{})
	}
	v, err := f.infer(ctx, guesses, threads)
	if err != nil {
		return surveyed{Err: err.Error()}
	}
	out := surveyed{Rows: v.rows, Places: fmt.Sprint(v.index.places), Longest: v.longest}
	for _, g := range guesses {
		for _, n := range []format.Nulls{{}, {Mode: format.NullFill}, {Values: map[string]string{"a": "-3"}}} {
			g := g
			finding, err := g.finish("a", v.rows, n)
			out.Findings = append(out.Findings, fmt.Sprint(finding, err))
		}
	}
	return out
}

// Pieces and threads change nothing: rows, places, dtypes and errors are those of a pass over one piece.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	cell := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "1", "-7", "9007199254740993", "18446744073709551615", "1.5", "1e3", "true", "x", "é", `""`, `"a,b"`, "\"line\nbreak\"", "\"\n\n\"", "\"\r\n\"", "\"\"\"\n\"",
		}),
		rapid.StringMatching(`[a-z]{0,40}`),
	)
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\n\n", "\r", "\r\n\r\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		for c := range columns {
			fmt.Fprintf(&text, "%c%c", 'a'+c, ",\n"[min(1, (c+1)/columns)])
		}
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			for c := range columns {
				if c > 0 {
					text.WriteByte(',')
				}
				text.WriteString(cell.Draw(t, "cell"))
			}
			text.WriteString(end.Draw(t, "end"))
		}
		// Now and then something is wrong.
		text.WriteString(rapid.SampledFrom([]string{"", "", "", "1,2,3,4,5\n", "\"open\n", "\"x\"y\n", "\xff\n", "last"}).Draw(t, "wrong"))
		for range rapid.IntRange(0, 3).Draw(t, "rows behind") {
			text.WriteString("z\n")
		}
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		s := sizes{text: rapid.IntRange(1, 50).Draw(t, "text"), cells: rapid.IntRange(1, 40).Draw(t, "cells"), rows: rapid.IntRange(1, 20).Draw(t, "rows of a block")}
		s.piece = 1 << 40
		want := surveyFile(t.Context(), t, path, s, 1)
		for _, threads := range []int{1, 2, 5} {
			s.piece = rapid.Int64Range(1, 100).Draw(t, "piece")
			if d := cmp.Diff(want, surveyFile(t.Context(), t, path, s, threads)); d != "" {
				t.Fatalf("%q in pieces of %d, %d threads (-want +got)\n%s", text.String(), s.piece, threads, d)
			}
		}
	})
}

// Places of a file that has many are those of a pass over one piece, with their lines.
func TestSurveyOfManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("id,word,price\r\n")
	for i := range 200_000 {
		word := []string{"alpha", `"beta, gamma"`, "delta"}[r.IntN(3)]
		if i%50_000 < 3 || i > 150_000 {
			word = "\"two\nlines\""
		}
		fmt.Fprintf(&text, "%d,%s,%.2f\n", i, word, 1000*r.Float64())
		if i%70_001 == 0 {
			text.WriteString("\n\r\n")
		}
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	s := defaultSizes
	s.piece = 1 << 40
	want := surveyFile(t.Context(), t, path, s, 1)
	if want.Err != "" || want.Rows != 200_000 || strings.Count(want.Places, "{") < 4 {
		t.Fatalf("%+v", want)
	}
	for _, piece := range []int64{100_000, pieceBytes} {
		for _, threads := range []int{1, 2, 7} {
			s.piece = piece
			if d := cmp.Diff(want, surveyFile(t.Context(), t, path, s, threads)); d != "" {
				t.Errorf("pieces of %d, %d threads (-want +got)\n%s", piece, threads, d)
			}
		}
	}
	// A context that ends, ends all of them.
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	guesses := []guess{newGuess(0, colstore.DType{})}
	o, err := format.CheckOptions("reading csv", Descriptor.Read.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openWith(t.Context(), &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, threads := range []int{1, 3} {
		if _, err := f.infer(ctx, slices.Clone(guesses), threads); !errors.Is(err, cause) {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// Blank lines behind the end of a piece are as many reads as they take.
func TestBlankLinesBeyondPiece(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n"+strings.Repeat("\n", 20<<10)+"1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for threads := 1; threads <= 2; threads++ {
		got := surveyFile(t.Context(), t, path, sizes{text: 16, cells: 8, rows: 4, piece: 16}, threads)
		if got.Err != "" || got.Rows != 1 {
			t.Errorf("%d threads: %+v", threads, got)
		}
	}
}
