package formattest

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// A Config says which format is tested, and what it promises beyond what all formats must do. Only Format is required.
type Config struct {
	Format string         // the name of a registered format
	Read   map[string]any // options of reading
	Write  map[string]any // options of writing

	// DTypes are the dtypes that columns have. nil is all that the format stores.
	DTypes []colstore.DType
	// Names are names that columns may have. nil is a list of odd ones: empty, with blanks, quotes, line breaks, beyond ASCII.
	Names []string
	// Sample is a file of the format to test reading with; it is required of a format that cannot be written, and unused
	// otherwise.
	Sample string
	// Nulls is a file with a null, if the format keeps nulls apart from values.
	Nulls *Nulls

	// Text: values are spelled out. All NaN are one then, text holds no NUL, bytes are text.
	Text bool
	// Untyped: files do not hold dtypes. Reading is told them (source.Spec.DTypes).
	Untyped bool
	// Rowless: a file without rows does not tell its columns, so it is only written, not read.
	Rowless bool
	// Entwined: the columns of a file are not stored apart, so that damage to one may show when another is read.
	Entwined bool
	// Truncation: a file that is cut anywhere is found to be.
	Truncation bool
	// Checksums: a bit that is changed under a value is found. Names and dtypes need not be covered.
	Checksums bool
}

// Nulls is a file with nulls.
type Nulls struct {
	Path   string
	Column string                    // a column with a null
	Row    int64                     // of the first null in it
	Value  string                    // something else that a null of the column may become
	DTypes map[string]colstore.DType // declared, for files that hold none
}

// Run puts a format through the suite, as subtests of t.
func Run(t *testing.T, c Config) {
	t.Helper()
	i := slices.IndexFunc(source.Formats(), func(f source.Format) bool { return f.Name == c.Format })
	if i < 0 {
		t.Fatalf("no format %q is registered", c.Format)
	}
	s := &suite{Config: c, f: source.Formats()[i]}
	if s.Names == nil {
		s.Names = []string{"a", "", " b ", "c d", `q"u'o`, "x,y;z", "line\nbreak", "é€😀", "a.b", "A", "0", "tab\tbed"}
	}
	if s.DTypes == nil && s.f.Write != nil {
		for _, t := range everyType() {
			if _, err := s.f.Stores(t); err == nil {
				s.DTypes = append(s.DTypes, t)
			}
		}
	}
	t.Run("description", s.description)
	if s.f.Write != nil {
		t.Run("refused dtypes", s.refusedTypes)
		t.Run("same bytes", s.sameBytes)
		t.Run("offsets", s.offsets)
		t.Run("misuse of a sink", s.misuse)
		t.Run("abort", s.abort)
		t.Run("existing files", s.existing)
		t.Run("locks", s.locks)
		t.Run("failing calls", s.failingCalls)
		t.Run("crashes", s.crashes)
		t.Run("full disk", s.fullDisk)
		t.Run("cost of a sink", s.sinkCost)
	}
	if s.f.Read == nil {
		return
	}
	if s.f.Write == nil && s.Sample == "" {
		t.Fatalf("format %q cannot be written, so reading it needs a sample", c.Format)
	}
	if s.f.Write != nil {
		t.Run("round trip", s.roundTrip)
		t.Run("names", s.names)
	}
	t.Run("batches", s.batches)
	t.Run("projection", s.projection)
	t.Run("splits", s.splits)
	t.Run("concurrent scans", s.concurrentScans)
	t.Run("early end", s.earlyEnd)
	t.Run("allocator", s.allocator)
	t.Run("cost of a source", s.sourceCost)
	t.Run("truncation", s.truncation)
	t.Run("changed bits", s.changedBits)
	if s.f.Write != nil {
		t.Run("columns apart", s.columnsApart)
	}
	if s.Nulls != nil {
		t.Run("nulls", s.nulls)
	}
}

// suite is a configuration under test.
type suite struct {
	Config
	f source.Format
}

// path returns the name of a new file with the format's extension.
func (s *suite) path(t *testing.T, name string) string {
	return filepath.Join(t.TempDir(), name+s.f.Extensions[0])
}

// description holds the format against the rules for registered ones.
func (s *suite) description(t *testing.T) {
	if err := s.f.Check(); err != nil {
		t.Error(err)
	}
	if s.f.Read != nil {
		path := s.Sample
		if s.f.Write != nil {
			path = s.written(t, s.table(1, 3, 2))
		}
		options := maps.Clone(s.Read)
		if options == nil {
			options = map[string]any{}
		}
		options["no_such_option"] = "1"
		if _, err := s.openWith(t, path, options); !isOption(err) {
			t.Errorf("reading with an option that is none: %v", err)
		}
	}
	if s.f.Write != nil {
		options := map[string]any{"no_such_option": "1"}
		if _, err := s.createWith(t.Context(), s.path(t, "f"), s.table(1, 1, 1).Schema(), creating{options: options}); !isOption(err) {
			t.Errorf("writing with an option that is none: %v", err)
		}
	}
}
