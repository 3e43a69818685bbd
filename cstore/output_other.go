//go:build !unix

package cstore

func writeFault(err error) error { return err }
