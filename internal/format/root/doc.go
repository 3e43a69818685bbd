// Package root reads the trees of ROOT files.
//
// # Basics
//
// [Descriptor] is the format. A file holds objects by name, in directories; the trees among them are tables. A tree is
// named, or is the only one there is. Columns are the branches at the top of a tree that hold one number or bool an
// entry. What becomes of branches that hold several, arrays and lists, format.Jagged says; other branches (objects,
// containers) are left out or refused.
//
// The rows of a branch lie in baskets, which are blocks of up to 16 MiB, often compressed. A column is decoded block by
// block into the columns of a batch, swapping bytes on the way: that is the only copy.
//
// # Memory
//
// A scan holds one decompressed block a branch, of a list one basket, and the compressed block under way for each thread.
//
// # Caveats
//
// The files have no checksums but those of the compressed blocks: a changed byte in a basket that is not compressed is a
// changed value. RNTuple, ROOT's newer kind of table, is not read yet.
package root
