// Package feather reads and writes Feather files, which are files of Arrow's IPC format, and reads its streams.
//
// # Basics
//
// [Descriptor] is the format. A record batch holds the rows of all columns as Arrow lays them out in memory; each buffer
// is compressed by itself, or not at all. What the buffers mean is known to package internal/columnar, what stands before
// them to the sub-package meta. Arrow's own module is not used: it reads a record batch whole, all columns of it, into
// memory that the file's numbers demand.
//
// Only the bytes of the columns that are asked for are read, by a stream for each buffer: a record batch may be larger than
// the budget. Dictionaries are the exception; they are decoded whole when their column is first read. Columns that are
// stored as a batch has them are shown as they lie in the mapped file.
//
// Written record batches are sized by the schema alone (colstore.GroupRows), and hold the dtypes in the schema's metadata,
// so that the width of text and whatever else Arrow has no type for comes back.
//
// # Memory
//
// A scan holds for each buffer of a column what was decoded and not read yet, and what the codec needs to go on: never more
// than the buffer decodes to, and nothing for small ones where there are many. A batch may hold the mapped file. A writer
// holds the rows of one record batch, and the encoded columns that wait for their turn.
//
// # Caveats
//
// Files of the first version of Feather, of 2016, are refused; so are big-endian files. Lists, arrays and structures become
// columns if the policy for them says so: the columns of a list are read together, from where its rows end and from its
// values. Other tables inside columns (unions, maps, lists of lists) are refused when they are asked for, and only then.
package feather
