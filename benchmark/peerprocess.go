package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// warm is a process that answers requests until it is closed.
type warm struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a server. What it writes to stderr goes to ours.
func start(ctx context.Context, argv []string) (*warm, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &warm{cmd, in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

// close ends the server.
func (w *warm) close() error { return errors.Join(w.in.Close(), w.cmd.Wait()) }

// errRefused is returned when a server answers that a request failed; it goes on.
var errRefused = errors.New("the engine failed")

// ask sends a request and reads the answer.
func (w *warm) ask(q request) (reply, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return reply{}, err
	}
	data, err := w.out.ReadBytes('\n')
	if err != nil {
		return reply{}, fmt.Errorf("the server of %s has ended: %w", q.Do, err)
	}
	var a reply
	if err := json.Unmarshal(data, &a); err != nil {
		return reply{}, fmt.Errorf("an answer to %s: %w", q.Do, err)
	}
	if a.Error != "" {
		return reply{}, fmt.Errorf("%w: %s", errRefused, a.Error)
	}
	return a, nil
}
