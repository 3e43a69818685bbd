package parquet

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// blockLevels is how many levels of a list are looked at together.
const blockLevels = 1024

// A listReader reads the rows of a list in order: the levels of its entries, and the values that the caller asks for.
type listReader struct {
	columnReader
	repeats, defs encoding.Hybrid
	entries       int // of the page, that are not in a block yet
	rep, def      [blockLevels]uint32
	at, n         int // the next entry of the block, and all of them

	// What the last step found. Rows count from the first row of the step's caller.
	counts       []int64 // by row: its values
	rows, places []int32 // of the values that are there and are kept
	nulls        []listNull
	runs         []listRun
}

// A listNull is a row that is null, or a value of one that is: place is -1 for a row.
type listNull struct{ row, place int32 }

// A listRun is values of the page that are kept, then ones that are not.
type listRun struct{ kept, left int }

// openGroup goes to the first row of a row group.
func (r *listReader) openGroup(g int) error {
	r.entries, r.at, r.n = 0, 0, 0
	return r.columnReader.openGroup(g)
}

// fill makes sure that the block has an entry. It has none at the end of a row group.
func (r *listReader) fill(w *workspace) (ok bool, err error) {
	for r.at == r.n {
		if r.entries == 0 {
			if r.pager.left == 0 {
				return false, nil
			}
			if err := r.nextPage(w); err != nil {
				return false, err
			}
			continue
		}
		r.at, r.n = 0, min(r.entries, blockLevels)
		r.entries -= r.n
		if err := errors.Join(r.repeats.Read(r.rep[:r.n]), r.defs.Read(r.def[:r.n])); err != nil {
			return false, r.pager.wrap(err)
		}
	}
	return true, nil
}

// nextPage goes on to the next data page.
func (r *listReader) nextPage(w *workspace) error {
	p := &r.pager
	if err := p.advance(w); err != nil {
		return err
	}
	if p.page.Type == meta.DictionaryPage {
		if r.dict.loaded {
			return p.wrap(fmt.Errorf("%w: a second dictionary", colstore.ErrFormat))
		}
		if err := r.loadDictionary(w); err != nil {
			return p.wrap(err)
		}
		return nil
	}
	if err := p.load(w); err != nil {
		return err
	}
	r.entries = int(p.page.Values)
	const repeatBits = 1
	err := r.repeats.Reset(p.repeats, repeatBits)
	if err == nil {
		err = r.defs.Reset(p.levels, bits.Len32(uint32(r.col.maxDef)))
	}
	if err == nil {
		err = r.reset()
	}
	if err != nil {
		return p.wrap(err)
	}
	return nil
}

// A listWindow is some rows that a listReader goes through, the first of them being where it stood at the beginning.
type listWindow struct {
	rows int // that are wanted
	kept int // values of each that are
	done int // that were begun
}

// begin starts a window.
func (r *listReader) begin(rows, kept int) listWindow {
	r.counts = append(r.counts[:0], make([]int64, rows)...)
	return listWindow{rows: rows, kept: kept}
}

// step looks at entries of the window that lie in one page, and sets what they are. The values must be taken or skipped
// before the next step. more is false once the window is complete.
//
// Errors: colstore.ErrFormat for rows that do not begin where they should, or are not as many as the row group's.
func (r *listReader) step(win *listWindow, w *workspace) (more bool, err error) {
	r.rows, r.places, r.nulls, r.runs = r.rows[:0], r.places[:0], r.nulls[:0], r.runs[:0]
	ok, err := r.fill(w)
	if err != nil {
		return false, err
	}
	end := r.f.groups[r.pager.group].end()
	if !ok {
		switch {
		case r.row != end:
			return false, r.pager.wrap(fmt.Errorf("%w: it has %d rows fewer than the row group", colstore.ErrFormat, end-r.row))
		case win.done == win.rows:
			return false, nil
		}
		return true, r.openGroup(r.pager.group + 1)
	}
	max, there, value := uint32(r.col.maxDef), uint32(r.col.list.there), uint32(r.col.list.value)
	var run listRun
	for ; r.at < r.n; r.at++ {
		if r.rep[r.at] == 0 {
			if r.row == end {
				return false, r.pager.wrap(fmt.Errorf("%w: it has more rows than the row group", colstore.ErrFormat))
			}
			if win.done == win.rows {
				break
			}
			win.done++
			r.row++
		} else if win.done == 0 {
			return false, r.pager.wrap(fmt.Errorf("%w: it begins inside a row", colstore.ErrFormat))
		}
		row := win.done - 1
		d := r.def[r.at]
		switch {
		case d > max:
			return false, r.pager.wrap(fmt.Errorf("%w: a definition level of %d, the most is %d", colstore.ErrFormat, d, max))
		case d < value:
			if r.rep[r.at] != 0 {
				return false, r.pager.wrap(fmt.Errorf("%w: a row of a list goes on without a value", colstore.ErrFormat))
			}
			if d < there {
				r.nulls = append(r.nulls, listNull{int32(row), -1})
			}
			continue
		}
		place := r.counts[row]
		r.counts[row]++
		kept := place < int64(win.kept)
		switch {
		case d < max && kept:
			r.nulls = append(r.nulls, listNull{int32(row), int32(place)})
		case d < max:
		case kept:
			if run.left > 0 {
				r.runs = append(r.runs, run)
				run = listRun{}
			}
			run.kept++
			r.rows, r.places = append(r.rows, int32(row)), append(r.places, int32(place))
		default:
			run.left++
		}
	}
	r.runs = append(r.runs, run)
	return r.at == r.n, nil
}

// pass skips the values of a step.
func (r *listReader) pass() error {
	for _, run := range r.runs {
		if err := r.skipValues(run.kept + run.left); err != nil {
			return r.pager.wrap(err)
		}
	}
	return nil
}

// seek makes row the next one to be read.
func (r *listReader) seek(row int64, w *workspace) error {
	g := r.f.groupOf(row)
	if g == len(r.f.groups) {
		return fmt.Errorf("%w: row %d", colstore.ErrRange, row)
	}
	if err := r.openGroup(g); err != nil {
		return err
	}
	for r.row < row {
		win := r.begin(int(min(row-r.row, blockLevels)), 0)
		for more := true; more; {
			var err error
			if more, err = r.step(&win, w); err != nil {
				return err
			}
			if err := r.pass(); err != nil {
				return err
			}
		}
	}
	return nil
}
