// Package meta reads and writes the metadata of Arrow's IPC format: the schema, the messages before each body, and the
// footer of a file, which are Flatbuffers.
//
// # Basics
//
// [ParseFooter], [ParseMessage] and [Prefix] read; [SchemaMessage], [BatchMessage] and [FooterBytes] write.
//
// # Memory
//
// What is parsed holds no part of the bytes that it was parsed from, and is bounded by their number.
//
// # Caveats
//
// Nothing in the bytes is trusted: an offset that leads out of them is an error, and each part is visited a bounded
// number of times, however the offsets cross. What the numbers mean in the file is for the caller to check.
package meta
