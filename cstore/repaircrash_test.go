package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/golden"
)

// putStep returns a step that puts a file in place, safely.
func putStep(data []byte) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		s, err := fsx.Stage(fsx.Of(ctx), filepath.Join(dir, scenarioFile), fsx.StageOptions{})
		if err != nil {
			return err
		}
		if _, err := s.WriteAt(data, 0); err != nil {
			return errors.Join(err, s.Abort())
		}
		return s.Commit()
	}
}

// repairCases are repairs of a file that is cut and of one whose records get new numbers, and the writing of sums.
func repairCases(tb testing.TB) []fsxtest.Scenario {
	salvaged := golden.Bytes(tb, "expr_multi.cstore")
	first := bytes.Index(salvaged, []byte("REC\x01"))
	second := first + 4 + bytes.Index(salvaged[first+4:], []byte("REC\x01"))
	clear(salvaged[second : second+32])
	repair := func(o cstore.RepairOptions) fsxtest.Step {
		return func(ctx context.Context, dir string) error {
			path := filepath.Join(dir, scenarioFile)
			if !o.InPlace {
				o.Out = path + ".repaired"
			}
			_, err := cstore.Repair(ctx, path, &o)
			return err
		}
	}
	sums := func(ctx context.Context, dir string) error {
		v, err := cstore.Verify(ctx, filepath.Join(dir, scenarioFile), &cstore.VerifyOptions{WriteSums: true, Sums: cstore.SumsOff})
		if err == nil && v.Written == "" {
			err = v.Findings[0]
		}
		return err
	}
	cut := golden.Bytes(tb, "bad/trunc_multi_body.cstore")
	return []fsxtest.Scenario{
		{Name: "to a file", Setup: []fsxtest.Step{putStep(cut)}, Steps: []fsxtest.Step{repair(cstore.RepairOptions{})}},
		{Name: "in place", Setup: []fsxtest.Step{putStep(cut)}, Steps: []fsxtest.Step{repair(cstore.RepairOptions{InPlace: true})}},
		{Name: "salvaged", Setup: []fsxtest.Step{putStep(salvaged)}, Steps: []fsxtest.Step{repair(cstore.RepairOptions{InPlace: true, Salvage: true})}},
		{Name: "sums", Setup: []fsxtest.Step{putStep(golden.Bytes(tb, "expr_multi.cstore"))}, Steps: []fsxtest.Step{sums}, ReadsFiles: true},
	}
}

// Whichever call fails, a repair and the writing of sums leave what was there or what is to be there.
func TestRepairEveryCall(t *testing.T) {
	for _, c := range repairCases(t) {
		c.EveryCall(t)
	}
}

// A crash during a repair leaves the damaged file or the repaired one.
func TestRepairCrash(t *testing.T) {
	for _, c := range repairCases(t) {
		c.Crash(t, fsxtest.Exploring{Random: 100, Seed: 1, Workers: 2})
	}
}

// What the salvaged case damages is a header.
func TestRepairCases(t *testing.T) {
	dir := fsxtest.Folder(t)
	for _, c := range repairCases(t)[:3] {
		if err := c.Setup[0](t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, scenarioFile)
		r, err := cstore.Repair(t.Context(), path, nil)
		if err != nil || !r.Needed() || r.Kept.Rows == 0 || (c.Name == "salvaged") != (r.Salvageable.Records > 0) {
			t.Errorf("%s: %+v, %v", c.Name, r, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
