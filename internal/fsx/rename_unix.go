//go:build unix && !linux

package fsx

func renameNew(from, to string) error { return linkNew(from, to) }
