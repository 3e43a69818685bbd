package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// A Pipeline is one run.
//
// Its frames are unbound. Frame holds the steps that all branches share, whose cuts are the cutflow; nil is none.
type Pipeline struct {
	Name     string
	Input    Input
	Frame    *frame.Frame
	Branches []Branch
	Checks   []Check
	Reports  Reports
	Limits   Limits
}

// Input says what is read, as one table.
type Input struct {
	Paths     []string // files, patterns, folders, in order
	NoGlob    bool     // patterns are plain names
	Exclude   []string // patterns of files that are left out
	Format    string   // empty: by extension, then by the first bytes
	Options   map[string]any
	Columns   []string // only these exist; nil: all
	DTypes    map[string]colstore.DType
	NullMode  string            // "error" (default), "fill", "mask"
	NullValue map[string]string // a column's nulls become this value
	Mismatch  string            // "strict" (default), "drop", "union"
	Jagged    string            // lists, arrays, structures: "error", "skip", "explode", "pad=N"; empty: the format's own
	// SourceColumn, if not empty, is a text column behind all others: the path of the file that a row is from.
	SourceColumn string
	Hive         bool // folders called NAME=VALUE are columns, and a folder is read with all that is below it
}

// A Branch is what becomes of the rows, after the shared steps, on the way to one output. A nil frame is no more steps.
type Branch struct {
	Frame  *frame.Frame
	Output Output
}

// Mode says what is done about an output that exists.
type Mode string

// The modes.
const (
	Create  Mode = "create"  // it is an error
	Replace Mode = "replace" // it is replaced when the new one is complete
	Append  Mode = "append"  // the rows are added to a file, which is made if there is none; a folder gets further shards
	Missing Mode = "missing" // it is left alone, and its branch skipped, if it is newer than the input
)

// Output says where the rows of a branch go.
type Output struct {
	Path    string
	Format  string // empty: by extension
	Mode    Mode   // empty: Create
	Options map[string]any
	Mkdirs  bool // make missing parent folders
	Lock    colstore.LockPolicy
	Shards  *Shards // Path is a folder, and these are written into it; its modes are Create and Append
}

// Shards says which .cstore files a folder gets. Zero values are the defaults.
type Shards struct {
	Name string            // template of their names: "shard_{index:05d}.cstore"
	Rows int64             // of each but the last; 0: one file for all rows
	Size colstore.ByteSize // of the rows of each but the last, instead of their number
}

// A Check is a condition on the rows that are about to be published.
type Check struct {
	Kind    string   // "rows", "no_missing", "range", …
	Columns []string // that it looks at
	Name    string
	OnFail  string // "stop" (default), "warn"
}

// Reports says what is written about a run.
type Reports struct {
	// Cutflow are the files that the cutflow of the shared steps goes to: [CutflowExtensions].
	Cutflow []string
	Show    frame.Show
}

// CutflowExtensions are those that a cutflow's file may have; they say how it is written.
var CutflowExtensions = []string{".json", ".csv", ".md", ".html", ".txt"}

// Limits bound what a run uses. Zero values are the defaults.
type Limits struct {
	Memory    colstore.ByteSize // of a run: batches are sized to it; 64 MiB
	BatchRows int               // rows of a batch instead, whatever that takes
	Workers   int               // goroutines that evaluate; the CPUs of the process
	Expand    int               // decompressed bytes per compressed byte of a block; 200
	Page      colstore.ByteSize // largest decoded page; 64 MiB
}

// DefaultMemory is the memory of a run that does not say.
const DefaultMemory = 64 * colstore.MiB

// Validate finds what is wrong with a pipeline before anything is opened.
//
// Errors: colstore.ErrOption.
func (p *Pipeline) Validate() error {
	if p == nil {
		return fmt.Errorf("%w: the pipeline is nil", colstore.ErrOption)
	}
	if len(p.Input.Paths) == 0 {
		return fmt.Errorf("%w: the pipeline has no input", colstore.ErrOption)
	}
	if len(p.Branches) == 0 {
		return fmt.Errorf("%w: the pipeline has no output", colstore.ErrOption)
	}
	seen := map[string]bool{}
	for _, b := range p.Branches {
		if b.Output.Path == "" {
			return fmt.Errorf("%w: an output has no path", colstore.ErrOption)
		}
		if seen[b.Output.Path] {
			return fmt.Errorf("%w: two outputs have the path %s", colstore.ErrOption, b.Output.Path)
		}
		seen[b.Output.Path] = true
		switch mode, folder := b.Output.Mode, b.Output.Shards != nil; {
		case mode == "" || mode == Create || mode == Append || !folder && (mode == Replace || mode == Missing):
		case folder:
			return fmt.Errorf("%w: output mode %q for the folder %s; there is create, append", colstore.ErrOption, mode, b.Output.Path)
		default:
			return fmt.Errorf("%w: output mode %q for %s; there is create, replace, append, missing", colstore.ErrOption, mode, b.Output.Path)
		}
		if err := p.Steps(b).Err(); err != nil {
			return err
		}
	}
	for _, path := range p.Reports.Cutflow {
		if ext := strings.ToLower(filepath.Ext(path)); !slices.Contains(CutflowExtensions, ext) {
			return fmt.Errorf("%w: the cutflow %s has the extension %q; there is %s", colstore.ErrOption, path, ext, strings.Join(CutflowExtensions, " "))
		}
	}
	if len(p.Checks) > 0 {
		return fmt.Errorf("%w: checks cannot be run by this version", colstore.ErrOption)
	}
	return nil
}

// Steps returns all steps on the way to a branch's output, the shared ones first.
func (p *Pipeline) Steps(b Branch) *frame.Frame {
	f := frame.New()
	if p.Frame != nil {
		f = f.Then(p.Frame)
	}
	if b.Frame != nil {
		f = f.Then(b.Frame)
	}
	return f
}
