// Package inflate decompresses deflate data that are in memory as a whole into a buffer of known size.
//
// # Basics
//
// Libraries decompress streams: they read byte by byte and keep a window of 32 KiB that every byte is copied out of. Here
// the output is the window, and bits are taken eight bytes at a time; numbers are in docs/decisions/0018-root-reader.md.
//
// # Memory
//
// A [Decoder] has its tables and nothing else. Compressed bytes cannot make it allocate.
package inflate
