// Package parquet reads and writes Parquet files.
//
// # Basics
//
// [Descriptor] is the format. Of a file's columns those that are flat can be read: numbers, bools, text, bytes,
// dates, timestamps, durations, and the leaves of structures by their dotted path. Lists and structures become columns if
// the policy for them says so: all columns of a list are put together in one go, from its levels and values
// (listreader.go). A column whose type cannot be stored is an error only when it is asked for.
//
// Column chunks are read page by page: headers are checked before anything is allocated, checksums verified where a page
// has one, values decoded straight into the columns of a batch. The width of text and what the header does not say
// otherwise is found by a first pass over the pages of that column alone (survey.go).
//
// Row groups and pages that a scan's skipper excludes are not read (skip.go, index.go); within a row group the offset index
// leads from page to page (leap.go).
//
// # Nulls
//
// A file keeps nulls apart from its values; format.Nulls says what becomes of them. Two kinds are no nulls in this
// sense: a column that is null in every row is a float64 column of NaN, and in files written here a null time is NaT,
// told by the column's entry in the file's metadata ([dtypeKey]). In files of others a null time is a null.
//
// # Memory
//
// A scan holds, of each column, one decompressed page and one dictionary, and while it looks for pages to leave out, the
// page index of a row group; a writer the rows of one row group, and the page index of what it has written.
//
// # Caveats
//
// Timestamps that count from a moment (isAdjustedToUTC) are refused: a dtype has no zone, and dropping it would shift
// the hours. Encrypted files and columns in other files are refused too.
package parquet
