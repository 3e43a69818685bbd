// Package meta reads and writes the metadata of a Parquet file: the footer and the page headers, in Thrift's compact
// protocol.
//
// # Basics
//
// [ParseFile] reads a footer, [ParsePage] the header of one page; [File.Append] and [Page.Append] write them. Only the
// fields that reading and writing flat columns needs are kept; the rest is skipped.
//
// # Memory
//
// Parsed values share the bytes they were parsed from. What is allocated is a small multiple of those bytes, whatever
// they say: lists grow as their items are read, and nesting is limited.
package meta
