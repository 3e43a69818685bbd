package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"time"
)

// request is a line that a warm server reads, and reply is the one that it answers with: peers/patterns.py says which
// fields are whose.
type request struct {
	Do      string   `json:"do"`
	Pattern *pattern `json:"pattern,omitempty"`
	Rows    int      `json:"rows,omitempty"`
	Engine  string   `json:"engine,omitempty"`
	Loops   int      `json:"loops,omitempty"`
}

type reply struct {
	Error   string   `json:"error,omitempty"`
	About   string   `json:"about,omitempty"`
	Engines []string `json:"engines,omitempty"`
	Bytes   int64    `json:"bytes,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`
	Check   *check   `json:"check,omitempty"`
}

// server is our side of the access patterns: one table stays open, and calls on it are timed.
type server struct {
	folder string
	calls  *calls
}

// serve answers requests until there are no more.
func serve(ctx context.Context, in io.Reader, out io.Writer, folder string) (err error) {
	s := &server{folder: folder}
	defer func() { err = errors.Join(err, s.close()) }()
	lines, w := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("a request: %w", err)
		}
		a, err := s.answer(ctx, q)
		if err != nil {
			a = reply{Error: err.Error()}
		}
		if err := w.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (s *server) close() error {
	if s.calls == nil {
		return nil
	}
	c := s.calls
	s.calls = nil
	return c.close()
}

func (s *server) answer(ctx context.Context, q request) (reply, error) {
	if q.Do == "prepare" {
		if err := s.close(); err != nil {
			return reply{}, err
		}
		c, err := open(ctx, filepath.Join(s.folder, strconv.Itoa(q.Rows)), *q.Pattern)
		if err != nil {
			return reply{}, err
		}
		s.calls = c
		return reply{Engines: c.engines()}, nil
	}
	if s.calls == nil {
		return reply{}, fmt.Errorf("%q before anything is prepared", q.Do)
	}
	switch q.Do {
	case "first":
		out, _, err := s.calls.run(ctx, q.Engine, 1)
		if err != nil {
			return reply{}, err
		}
		defer out.release()
		c, err := out.full(s.calls.pattern.Exact)
		return reply{Bytes: out.bytes(), Check: &c}, err
	case "run":
		out, elapsed, err := s.calls.run(ctx, q.Engine, q.Loops)
		if err != nil {
			return reply{}, err
		}
		c, err := out.quick(s.calls.pattern.Exact)
		large := out.bytes() > 1<<20
		out.release()
		if large {
			goruntime.GC() // here, and not beside the call of another engine
		}
		return reply{Seconds: elapsed.Seconds() / float64(q.Loops), Check: &c}, err
	case "done":
		return reply{}, s.close()
	}
	return reply{}, fmt.Errorf("no request is called %q", q.Do)
}

// run calls an engine loops times and returns the last result and the time of all.
func (c *calls) run(ctx context.Context, engine string, loops int) (output, time.Duration, error) {
	e, ok := c.by[engine]
	if !ok || loops < 1 {
		return output{}, 0, fmt.Errorf("engine %q, %d times", engine, loops)
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(e.threads))
	var out output
	begin := time.Now()
	for range loops {
		out.release() // what a call returned is given back before the next
		var err error
		if out, err = e.call(ctx); err != nil {
			return output{}, 0, err
		}
	}
	return out, time.Since(begin), nil
}
