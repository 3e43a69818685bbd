package parquet

import (
	"context"
)

// A listSurvey is what a first pass over the pages of a list finds, as far as it is asked.
type listSurvey struct {
	col *column
	// What is asked beside the length of the longest row.
	wantWidth bool // the width of strings
	wantUnit  bool // whether INT96 timestamps fit nanoseconds

	longest    int64
	nullRows   bool // some row is null
	nullValues bool // some value is null that becomes one of a column
	width      int  // of the widest string that becomes one, at least 1
	coarse     bool // some timestamp needs a unit coarser than nanoseconds
}

// run finds what is asked.
func (s *listSurvey) run(ctx context.Context, f *file, w *workspace) error {
	s.width = 1
	r := &listReader{columnReader: columnReader{f: f, col: s.col}}
	found := survey{wantWidth: s.wantWidth, wantUnit: s.wantUnit, width: 1}
	for g := range f.groups {
		if err := r.openGroup(g); err != nil {
			return err
		}
		for left := f.groups[g].Rows; left > 0; {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			win := r.begin(int(min(left, blockLevels)), s.col.list.kept)
			for more := true; more; {
				var err error
				if more, err = r.step(&win, w); err != nil {
					return err
				}
				for _, n := range r.nulls {
					s.nullRows, s.nullValues = s.nullRows || n.place < 0, s.nullValues || n.place >= 0
				}
				if err := s.values(r, &found); err != nil {
					return r.pager.wrap(err)
				}
			}
			for _, n := range r.counts {
				s.longest = max(s.longest, n)
			}
			left -= int64(win.rows)
		}
	}
	s.width, s.coarse = found.width, found.coarse
	return nil
}

// values looks at the values of a step.
func (s *listSurvey) values(r *listReader, found *survey) error {
	if !s.wantWidth && (!s.wantUnit || found.coarse) {
		return nil // nobody asks for the values of this page any more
	}
	for _, run := range r.runs {
		if run.kept > 0 {
			var err error
			switch {
			case s.wantUnit:
				err = found.timestamps(&r.columnReader, run.kept)
			case r.how.IsDictionary():
				err = found.indexed(&r.columnReader, run.kept)
			default:
				err = found.strings(&r.columnReader, run.kept)
			}
			if err != nil {
				return err
			}
		}
		if err := r.skipValues(run.left); err != nil {
			return err
		}
	}
	return nil
}
