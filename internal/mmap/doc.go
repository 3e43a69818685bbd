// Package mmap maps whole files for reading.
//
// # Memory
//
// A [Mapping] lives until its last Release, also after the file is closed, renamed over or deleted. Its bytes are the
// page cache's own: they show what others write to the file, and are gone when the file is cut (see package fault).
package mmap
