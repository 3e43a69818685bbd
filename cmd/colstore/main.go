package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/colstore/colstore-go/pipeline"
)

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

func main() {
	limitHeap(pipeline.DefaultMemory)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(errInterrupted)
		signal.Stop(signals) // a second one ends the program at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
