// Package columnar turns columns that lie in memory as Arrow lays them out into columns of batches, and back. It knows
// bytes only: package internal/arrow brings them from records, package internal/format/feather from files.
//
// # Basics
//
// A [Type] is one of Arrow's, [NewColumn] says what a column of it is read as. A [Plan] says how the columns of a table
// become a schema: it settles dtypes, the width of text and what becomes of nulls. An [Array] is some rows of a column;
// its [Values], checked against the number of rows, are put where a batch wants them. [Encode] gives the buffers of a
// column of a batch.
//
// # Memory
//
// Values and what Encode returns may be views of the buffers they were made of. Buffers may begin at any address.
//
// # Caveats
//
// Buffers are not trusted: lengths, offsets and indices are checked before they are used.
package columnar
