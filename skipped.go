package colstore

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Skipped counts what scans left out by their [Scan.Skip]. A nil one counts nothing. It is safe for concurrent use.
type Skipped struct {
	files, groups, pages, rows tally

	mu      sync.Mutex
	partial map[int64]int64 // of files that are read in several scans: the rows left out so far, by the file's first row
}

type tally struct{ out, of atomic.Int64 }

// Group counts rows of a group that a skipper was, or could have been, asked about, and whether they were left out. first is
// the first row of the group: of several scans that share a group, the one that has it counts the group.
func (s *Skipped) Group(rows Range, first int64, out bool) {
	if s == nil {
		return
	}
	group := int64(0)
	if rows.Begin == first {
		group = 1
	}
	s.groups.of.Add(group)
	s.rows.of.Add(rows.Rows())
	if out {
		s.groups.out.Add(group)
		s.rows.out.Add(rows.Rows())
	}
}

// File adds what a scan left out of one of the files of a table: of the rows at, file being all that the file has. Of several
// scans that share a file, the one with its first row counts the file; it was left out if all of its rows were, by any.
func (s *Skipped) File(file, at Range, of *Skipped) {
	if s == nil {
		return
	}
	for _, t := range []struct{ to, from *tally }{{&s.groups, &of.groups}, {&s.pages, &of.pages}, {&s.rows, &of.rows}} {
		t.to.out.Add(t.from.out.Load())
		t.to.of.Add(t.from.of.Load())
	}
	if at.Begin == file.Begin {
		s.files.of.Add(1)
	}
	out := of.rows.out.Load()
	if out == 0 {
		return
	}
	if at != file {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.partial == nil {
			s.partial = map[int64]int64{}
		}
		out += s.partial[file.Begin]
		s.partial[file.Begin] = out
	}
	if out == file.Rows() {
		s.files.out.Add(1)
	}
}

// Pages counts, of a group that was not left out whole, the pages with bounds of their own: how many were not needed and
// how many there are, of all columns that the skipper asked about, and the rows that were left out by them.
func (s *Skipped) Pages(out, of, rows int64) {
	if s == nil {
		return
	}
	s.pages.out.Add(out)
	s.pages.of.Add(of)
	s.rows.out.Add(rows)
}

// Counts returns the sums so far.
func (s *Skipped) Counts() SkipCounts {
	if s == nil {
		return SkipCounts{}
	}
	return SkipCounts{
		Files: s.files.out.Load(), AllFiles: s.files.of.Load(),
		Groups: s.groups.out.Load(), AllGroups: s.groups.of.Load(), Pages: s.pages.out.Load(), AllPages: s.pages.of.Load(),
		Rows: s.rows.out.Load(), AllRows: s.rows.of.Load(),
	}
}

// SkipCounts says how much of a table statistics left out.
type SkipCounts struct {
	Files     int64 `json:"files"`      // files of a table of several of which nothing was read but headers
	AllFiles  int64 `json:"all_files"`  // of so many
	Groups    int64 `json:"groups"`     // records or row groups that were left out whole
	AllGroups int64 `json:"all_groups"` // of so many
	Pages     int64 `json:"pages"`      // in the other groups, pages of the columns that cuts test of which no row was left
	AllPages  int64 `json:"all_pages"`  // of so many
	Rows      int64 `json:"rows"`       // that were left out with groups and pages
	AllRows   int64 `json:"all_rows"`   // of so many
}

// String returns the counts that are not nothing of nothing: "2 of 5 files, 3 of 8 groups of rows, 5 of 40 pages in the
// others, 90 of 200 rows".
func (c SkipCounts) String() string {
	var parts []string
	for _, p := range []struct {
		out, of int64
		what    string
	}{{c.Files, c.AllFiles, "files"}, {c.Groups, c.AllGroups, "groups of rows"}, {c.Pages, c.AllPages, "pages in the others"}, {c.Rows, c.AllRows, "rows"}} {
		if p.of > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", p.out, p.of, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
