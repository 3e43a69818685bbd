// Package codec decompresses the blocks of ROOT files: zlib, xz, LZ4 and zstd.
//
// A payload is a run of blocks, each with a header that tells both of its sizes. A [Decoder] fills a buffer of the
// declared size or fails: compressed bytes cannot make it allocate. Checksums are verified where a block has one, which
// is in all but some frames of zstd.
package codec
