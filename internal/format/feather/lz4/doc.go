// Package lz4 reads and writes frames of LZ4, the codec that Feather files are compressed with unless told otherwise.
//
// # Basics
//
// A [Reader] decodes one frame that lies in memory, a mapped file, into memory of the caller's; a [Writer] makes one. The
// blocks of a frame are decoded by github.com/pierrec/lz4; its readers and writers of frames copy every byte through
// buffers of their own, four blocks for each column.
//
// # Memory
//
// A Reader that is between two reads holds what it has decoded and not handed out, less than a block, and the 64 KiB before
// that to which the next block may refer, unless the frame says that no block does.
//
// # Caveats
//
// One frame, without a dictionary from elsewhere, is all that Arrow allows, and all that is read.
package lz4
