package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
)

// environment returns the Python of the module's .peers, which is made if it is not there. find returns the Python that
// makes it.
func environment(ctx context.Context, root string, find func(context.Context) (string, error), tell func(string, ...any)) (string, error) {
	folder := filepath.Join(root, ".peers")
	python := filepath.Join(folder, "bin", "python")
	if goruntime.GOOS == "windows" {
		python = filepath.Join(folder, "Scripts", "python.exe")
	}
	if _, err := os.Stat(python); !errors.Is(err, fs.ErrNotExist) {
		return python, err
	}
	base, err := find(ctx)
	if err != nil {
		return "", err
	}
	tell("making %s", folder)
	for _, argv := range [][]string{
		{base, "-m", "venv", folder},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements(root)},
	} {
		if _, err := execute(ctx, argv); err != nil {
			// Half an environment would be taken for a whole one.
			return "", errors.Join(fmt.Errorf("making %s: %w", folder, err), os.RemoveAll(folder))
		}
	}
	return python, nil
}

// requirements returns the path of the list of the peers' packages.
func requirements(root string) string {
	return filepath.Join(root, "benchmark", "peers", "requirements.txt")
}

// complete checks that a Python has the packages of a list, of whatever versions.
func complete(ctx context.Context, python, list string) error {
	const missing = `import importlib.metadata, re, sys
have = {d.metadata["Name"].lower().replace("_", "-") for d in importlib.metadata.distributions()}
want = [re.match(r"[\w.-]+", line)[0] for line in open(sys.argv[1]) if re.match(r"\w", line)]
print(", ".join(w for w in want if w.lower().replace("_", "-") not in have))`
	r, err := execute(ctx, []string{python, "-c", missing, list})
	if err != nil {
		return fmt.Errorf("looking for the packages of %s: %w", python, err)
	}
	if names := lastLine(string(r.stdout)); names != "" {
		return fmt.Errorf("%s has no %s: install the packages of %s, or leave out -peers, and an environment with them is made", python, names, list)
	}
	return nil
}

// findPython returns a Python 3.11, whose packages the peers' versions are.
func findPython(ctx context.Context) (string, error) {
	const isRight = "import sys; sys.exit(sys.version_info[:2] != (3, 11))"
	for _, name := range []string{"python3.11", "python3", "python"} {
		if _, err := execute(ctx, []string{name, "-c", isRight}); err == nil {
			return name, nil
		} else if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	return "", errors.New("the peers need Python 3.11, which is not on the path: install it, or name a Python that has the packages of " +
		"benchmark/peers/requirements.txt with -peers")
}
