package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// run is what one process took.
type run struct {
	elapsed time.Duration // from its start to its exit
	peak    int64         // bytes of its largest resident set; 0 if it was not metered
	stdout  []byte
}

// execute runs a command to its end.
//
// Errors: a command that fails gives the last line of what it wrote to stderr.
func execute(ctx context.Context, argv []string) (run, error) {
	var stdout, stderr bytes.Buffer
	start := time.Now()
	err := finish(ctx, command(ctx, argv, &stdout, &stderr), &stderr)
	return run{elapsed: time.Since(start), stdout: stdout.Bytes()}, err
}

// metered is [execute] by the program of benchmark/meter at a path, which finds the peak, and has a time without its own start.
func metered(ctx context.Context, meter string, argv []string) (run, error) {
	report, tell, err := os.Pipe()
	if err != nil {
		return run{}, err
	}
	defer func() { _ = report.Close() }() // was only read
	var stdout, stderr bytes.Buffer
	cmd := command(ctx, append([]string{meter}, argv...), &stdout, &stderr)
	cmd.ExtraFiles = []*os.File{tell} // its file descriptor 3
	// Killed, it would leave the command running.
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Minute
	err = finish(ctx, cmd, &stderr)
	if err = errors.Join(err, tell.Close()); err != nil {
		return run{}, err
	}
	r := run{stdout: stdout.Bytes()}
	if _, err := fmt.Fscan(report, &r.elapsed, &r.peak); err != nil {
		return r, fmt.Errorf("reading the numbers of %s: %w", meter, err)
	}
	return r, nil
}

// command returns a command that writes to buffers.
func command(ctx context.Context, argv []string, stdout, stderr *bytes.Buffer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

// finish runs a command; the error of one that fails has the last line of what it wrote to stderr.
func finish(ctx context.Context, cmd *exec.Cmd, stderr *bytes.Buffer) error {
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
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
