package csv_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/source/format"
)

// What a message shows of a file is short, however long its names and cells are.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("näme", 100_000)
	digits := strings.Repeat("7", 100_000)
	for name, test := range map[string]struct {
		text, dtype string // of the first column
		columns     []string
	}{
		"a name that is there twice":  {text: long + "," + long + "\n1,2\n"},
		"a column that is not there":  {text: long + "," + long + "2\n1,2\n", columns: []string{long + "3"}},
		"a missing cell":              {text: long + ",b\n,2\n", dtype: "i8"},
		"a missing cell beside large": {text: long + ",b\n9007199254740993,2\n,3\n"},
		"text behind a quote":         {text: "a\n\"" + long + "\"x\n"},
		"too many cells":              {text: "a\n" + long + ",2\n"},
		"text as a number":            {text: "a\n" + long + "\n", dtype: "i8"},
		"digits as a number":          {text: "a\n" + digits + "\n", dtype: "u2"},
		"text as a float":             {text: "a\n" + long + "\n", dtype: "f4"},
		"text as a bool":              {text: "a\n" + long + "\n", dtype: "b1"},
		"text as a date":              {text: "a\n" + long + "\n", dtype: "M8[s]"},
		"text that is too long":       {text: "a\n" + long + "\n", dtype: "U3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f.csv")
			if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			err := func() error {
				o, err := format.CheckOptions("reading csv", csv.Descriptor.Read.Options, nil)
				if err != nil {
					return err
				}
				f, err := csv.Descriptor.Read.Open(t.Context(), &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits})
				if err != nil {
					return err
				}
				defer f.Close()
				types := map[string]colstore.DType{}
				if test.dtype != "" {
					if types[f.Names()[0]], err = colstore.ParseDType(test.dtype); err != nil {
						return err
					}
				}
				s, err := f.Source(t.Context(), format.Projection{Columns: test.columns, Types: types})
				if err != nil {
					return err
				}
				defer s.Close()
				for _, err := range s.Scan(t.Context(), colstore.Scan{}) {
					if err != nil {
						return err
					}
				}
				return nil
			}()
			if err == nil || len(err.Error()) > 1000 {
				t.Errorf("%.2000v", err)
			}
		})
	}
}
