// Package source opens anything that rows can be read from.
//
// # Basics
//
// [Open] takes a path, a pattern or a folder of shards and gives a colstore.Source; [Find] stops after the headers, so
// that the columns that will be needed can be chosen before the rest is looked at. [Concat] makes one table of several
// sources, [Memory] one of a batch in memory, [Beside] puts columns of a program's own beside those of a table. [Formats]
// lists the formats. What the files of a table are called can be columns of it: [Spec].SourceColumn, [Spec].Hive.
//
// [ViewOf] chooses rows and columns of any source without reading: by number, slice, list, mask or predicate. A [View] is a
// source itself, and is read into batches, slices, packed records or structs, or shown without a copy. [View.CollectInto],
// [ValuesInto], [View.RecordsInto] and [StructsInto] read into memory that there is, and [View.Prepare] finds the rows' files once
// for many small reads.
//
// # Memory
//
// A source's batches are the source's; see package colstore. A concatenation owns what it was given to own.
package source
