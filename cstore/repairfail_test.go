package cstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/golden"
)

// Whichever call to the file system fails, a repair and the writing of sums leave what was there or what is to be there,
// and nothing beside; what they return tells which.
func TestRepairFails(t *testing.T) {
	damaged := golden.Bytes(t, "bad/trunc_multi_body.cstore")
	intact := golden.Bytes(t, "expr_multi.cstore")
	type outcome struct {
		work   func(ctx context.Context, path string) error
		input  []byte
		output string // beside the input; empty: the input
	}
	for name, test := range map[string]outcome{
		"out": {func(ctx context.Context, path string) error {
			_, err := cstore.Repair(ctx, path, &cstore.RepairOptions{Out: path + ".repaired"})
			return err
		}, damaged, ".repaired"},
		"in place": {func(ctx context.Context, path string) error {
			_, err := cstore.Repair(ctx, path, &cstore.RepairOptions{InPlace: true})
			return err
		}, damaged, ""},
		"sums": {func(ctx context.Context, path string) error {
			v, err := cstore.Verify(ctx, path, &cstore.VerifyOptions{WriteSums: true})
			if err == nil && v.Written == "" {
				err = v.Findings[0] // the sums that are there cannot be read
			}
			return err
		}, intact, ".sums"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, short := range []bool{false, true} {
				for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
					for n := 0; ; n++ {
						path := filepath.Join(t.TempDir(), "f.cstore")
						if err := os.WriteFile(path, test.input, 0o666); err != nil {
							t.Fatal(err)
						}
						fsys := fsxtest.New(n, cause)
						fsys.Short = short
						err := test.work(fsx.With(t.Context(), fsys), path)
						if err != nil && !errors.Is(err, cause) {
							t.Fatalf("call %d: %v", n, err)
						}
						entries, readErr := os.ReadDir(filepath.Dir(path))
						if readErr != nil {
							t.Fatal(readErr)
						}
						there := len(entries) == 2
						if test.output == "" {
							after, readErr := os.ReadFile(path)
							if readErr != nil || len(entries) != 1 {
								t.Fatalf("call %d: %v, %v", n, entries, readErr)
							}
							there = string(after) != string(test.input)
						}
						// After the renaming only the folder's last sync can fail.
						if err == nil && !there || len(entries) > 2 {
							t.Fatalf("call %d: %v, %v", n, err, entries)
						}
						if there {
							if v, err := cstore.Verify(t.Context(), path, nil); test.output != ".repaired" && (err != nil || len(v.Findings) > 0) {
								t.Fatalf("call %d: %v, %+v", n, err, v)
							}
						}
						if err == nil && fsys.Calls() <= n {
							break
						}
					}
				}
			}
		})
	}
}
