package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	root := t.TempDir()
	python := filepath.Join(root, ".peers", "bin", "python")
	if goruntime.GOOS == "windows" {
		python = filepath.Join(root, ".peers", "Scripts", "python.exe")
	}
	var told []string
	tell := func(format string, _ ...any) { told = append(told, format) }
	none := errors.New("no python")
	_, err := environment(t.Context(), root, func(context.Context) (string, error) { return "", none }, tell)
	if !errors.Is(err, none) || told != nil {
		t.Errorf("error %v, told %q", err, told)
	}

	t.Setenv(pretend, "fail")
	_, err = environment(t.Context(), root, func(context.Context) (string, error) { return self(t), nil }, tell)
	if err == nil || !strings.Contains(err.Error(), "TypeError: no") || len(told) != 1 {
		t.Errorf("error %v, told %q", err, told)
	}

	if err := errors.Join(os.MkdirAll(filepath.Dir(python), 0o777), os.WriteFile(python, nil, 0o777)); err != nil {
		t.Fatal(err)
	}
	got, err := environment(t.Context(), root, func(context.Context) (string, error) { return "", none }, tell)
	if err != nil || got != python {
		t.Errorf("%s, %v; want %s", got, err, python)
	}
}

func TestFindPython(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := findPython(t.Context()); err == nil || !strings.Contains(err.Error(), "-peers") {
		t.Errorf("error %v", err)
	}
}
