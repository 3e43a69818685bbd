package fsx

import "context"

type contextKey struct{}

// With returns a context in which outputs are made in fsys. Whoever creates one asks [Of]; so a test makes calls fail
// whatever lies between it and the writer, and no public signature speaks of file systems.
func With(ctx context.Context, fsys FS) context.Context {
	return context.WithValue(ctx, contextKey{}, fsys)
}

// Of returns the file system of a context: [OS] unless [With] made it another.
func Of(ctx context.Context) FS {
	if fsys, ok := ctx.Value(contextKey{}).(FS); ok {
		return fsys
	}
	return OS
}
