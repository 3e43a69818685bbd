// Package codec compresses and decompresses the pages of Parquet files.
//
// A page's decompressed size is in its header, so a [Decoder] fills a buffer of exactly that size or fails:
// compressed bytes cannot make it allocate. Neither type is safe for concurrent use; both keep what the libraries
// below them allocate.
package codec
