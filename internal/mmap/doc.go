// Package mmap maps whole files for reading.
//
// # Basics
//
// [File] maps an open file, [Mapping.Data] is its bytes. A scan of a cold file lets an [Ahead] read the pages that come next; one
// of a file that is larger than the memory it may use gives pages back behind it: [Behind] tells which, and [Mapping.Keep]
// which may stay.
//
// # Memory
//
// A [Mapping] lives until its last Release, also after the file is closed, renamed over or deleted. Its bytes are the
// page cache's own: they show what others write to the file, and are gone when the file is cut (see package fault).
package mmap
