// Package cstore reads and writes .cstore files: fixed-width columns, back to back, in one or more records.
//
// # Basics
//
// [Open] maps a file and gives a [Reader], which is a colstore.Source; [Stat] looks at the header alone. [Create] gives
// a [Writer], which is a colstore.Sink and, once the number of rows is reserved, a colstore.OffsetSink; [Update] gives one
// that appends records to a file. [Store] and [StoreSource] write a file in one call. [Compact] makes one record of many,
// [Concat] one file of several, [NewAppender] adds files to a folder. The files are byte for byte those of the Python
// package colstore 0.5.1.
//
//	r, err := cstore.Open("run.cstore", nil)
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	for b, err := range r.Scan(ctx, colstore.Scan{Columns: []string{"pt"}}) { … }
//
// # Memory
//
// A reader's batches are views of the mapping: no byte moves, but for small shares of a lazy file that are read once. They
// stay valid after Close, until their last Release. A writer holds one buffer of 256 KiB, or of 1 MiB if it gathers the
// rows of small batches for larger records; with statistics, what they take in the file too. Updating takes 24 bytes for
// each record that is there.
//
// # Caveats
//
// Everything about a file that its headers show is checked in Open, before anything is allocated by a number read from
// it. The bodies carry no checksum. A file that is cut while it is mapped faults when its lost rows are read; readers in
// this module turn that into colstore.ErrTruncated, but slices taken from a batch cannot be guarded. One that another file
// takes the place of, as writers here do it, goes on being what it was. One that a program overwrites in place gives old
// rows and new, and half of each; nothing tells of that.
package cstore
