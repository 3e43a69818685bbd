package cstore_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// On a full disk a file is as it was, at whatever stage there is no room any more, and writing goes on when there is.
func TestFullDisk(t *testing.T) {
	fsxtest.OnSmallDisk(t, func(t *testing.T, d *fsxtest.SmallDisk) {
		fill := func(name string, steps ...fsxtest.Step) {
			last := len(steps) - 1
			c := fsxtest.Scenario{Name: name, Identify: identifyCounted, Setup: steps[:last], Steps: steps[last:]}
			c.EveryFill(t, d)
		}
		old := createStep(t, options(cstore.LayoutPerWrite, true), 0, 500, 20, 2000)
		for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
			o := options(layout, true)
			fill(fmt.Sprintf("create, layout %d", layout), createStep(t, o, 0, 1500, 1, 2000))
			fill(fmt.Sprintf("replace, layout %d", layout), old, createStep(t, replaced(o), 0, 1500, 1, 2000))
			fill(fmt.Sprintf("update, layout %d", layout), old, updateStep(t, o, 1500, 1, 2000))
		}
		fill("compact", old, compactStep(cstore.CompactOptions{}))
		fill("compact to a file", old, compactStep(cstore.CompactOptions{Out: "out.cstore"}))
		fill("concat", old, concatStep(t, true))
	})
}
