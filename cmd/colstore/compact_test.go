package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// lateSignal is a file system in which a signal arrives right after a file was given its name.
type lateSignal struct {
	fsx.FS
	cancel context.CancelCauseFunc
}

func (f lateSignal) Rename(from, to string) error {
	err := f.FS.Rename(from, to)
	f.cancel(errInterrupted)
	return err
}

// A file that was compacted before a signal was noticed is told of; the files after it are left alone.
func TestCompactInterruptedAfterPublishing(t *testing.T) {
	workplace(t)
	const first, second = "expr_multi.cstore", "all_dtypes_multi.cstore"
	before, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files []string
		code  int
	}{
		{[]string{first, second}, exitInterrupted},
		{[]string{second}, exitDone},
	} {
		if now, err := os.ReadFile(second); err != nil || !bytes.Equal(now, before) {
			t.Fatalf("the file after the interruption is not as it was (%v)", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		var out, errs bytes.Buffer
		code := run(fsx.With(ctx, lateSignal{fsx.OS, cancel}), append([]string{"compact", "--json"}, c.files...), &out, &errs)
		if code != c.code || strings.Count(out.String(), `"unchanged":false`) != 1 {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.files, code, c.code, out.String(), errs.String())
		}
		cancel(nil)
	}
}
