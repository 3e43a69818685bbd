// Package cstore reads and writes .cstore files: fixed-width columns, back to back, in one or more records.
//
// # Basics
//
// [Open] maps a file and gives a [Reader], which is a colstore.Source; [Stat] looks at the header alone. [Create] gives
// a [Writer], which is a colstore.Sink and, once the number of rows is reserved, a colstore.OffsetSink; [Store] writes
// one batch as one file. The files are byte for byte those of the Python package colstore 0.5.1.
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
// stay valid after Close, until their last Release. A
// writer holds one buffer of 256 KiB.
//
// # Caveats
//
// Everything about a file that its headers show is checked in Open, before anything is allocated by a number read from
// it. The bodies carry no checksum. A file that is cut while it is mapped faults when its lost rows are read; readers in
// this module turn that into colstore.ErrTruncated, but slices taken from a batch cannot be guarded.
package cstore
