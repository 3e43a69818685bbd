// Package source opens anything that rows can be read from.
//
// # Basics
//
// [Open] takes a path, a pattern or a folder of shards and gives a colstore.Source; [Find] stops after the headers, so
// that the columns that will be needed can be chosen before the rest is looked at. [Concat] makes one table of several
// sources, [Memory] one of batches in memory. [Formats] lists the formats; a program adds its own with [Register].
//
// # Memory
//
// A source's batches are the source's; see package colstore. A concatenation owns what it was given to own.
package source
