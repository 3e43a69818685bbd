package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "meter: there is no command; usage: meter COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	report := os.NewFile(reportTo, "report")
	closeOnExec(report)
	status, err := measure(report, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		status = max(1, status)
	}
	os.Exit(status)
}

// reportTo is the file descriptor that numbers are written to.
const reportTo = 3

// measure runs a command and reports on it. A command that fails has a status and no report.
func measure(report *os.File, argv []string) (status int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err = cmd.Run()
	elapsed := time.Since(start)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(1, failed.ExitCode()), nil // it has said why; a signal has no code
	}
	if err != nil {
		return 1, err
	}
	_, err = fmt.Fprintln(report, elapsed.Nanoseconds(), peakOf(cmd.ProcessState))
	return 0, err
}
