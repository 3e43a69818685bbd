package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// run is what one process took.
type run struct {
	elapsed time.Duration // from its start to its exit
	peak    int64         // bytes of its largest resident set; 0 where the system does not tell
	stdout  []byte
}

// execute runs a command to its end.
//
// Errors: a command that fails gives the last line of what it wrote to stderr.
func execute(ctx context.Context, argv []string) (run, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	start := time.Now()
	err := cmd.Run()
	r := run{elapsed: time.Since(start), stdout: stdout.Bytes()}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return r, cause
		}
		return r, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	r.peak = peakOf(cmd.ProcessState)
	return r, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// account is what a peer tells of its run in its last line of output.
type account struct {
	answer

	Rows    int64    `json:"n_rows"`
	Setup   float64  `json:"setup"`   // seconds that are not the work
	Inner   float64  `json:"inner"`   // seconds of the operation without starting and opening; 0 if not told
	Columns []column `json:"columns"` // of a result that stays in memory
	Note    string   `json:"note"`
}

// accountOf reads the account of a peer. A program that prints none, such as ours, has a zero account.
func (r run) accountOf() account {
	var a account
	if json.Unmarshal([]byte(lastLine(string(r.stdout))), &a) != nil {
		return account{}
	}
	return a
}

// seconds returns the time of the work.
func (r run) seconds() float64 { return r.elapsed.Seconds() - r.accountOf().Setup }
