// Package root reads and writes the trees of ROOT files.
//
// # Basics
//
// [Descriptor] is the format. A file holds objects by name, in directories; the trees among them are tables. A tree is
// named, or is the only one there is. Columns are the branches at the top of a tree that hold one number or bool an
// entry. What becomes of branches that hold several, arrays and lists, format.Jagged says; other branches (objects,
// containers) are left out or refused. Values are stored with the most significant byte first, some thousands together, in
// baskets, each of which is compressed by itself, in blocks of up to 16 MiB.
//
// A file that is written has the baskets as they are full, then the tree, which tells where baskets are, then what tells
// where that is. Its bytes depend on rows, dtypes and options alone.
//
// # Memory
//
// A column is decoded block by block into the columns of a batch, swapping bytes on the way: that is the only copy. A scan
// holds one decompressed block a branch, of a list one basket, and the compressed block under way for each thread. A writer
// holds a basket for each branch, those that are compressed beside each other, and 16 bytes for each basket until the end.
//
// # Caveats
//
// The files have no checksums but those of the compressed blocks: a changed byte in a basket that is not compressed is a
// changed value. RNTuple, ROOT's newer kind of table, is not read yet. What is written has no text, no times and no float16,
// and names of letters, digits and underscores only.
package root
