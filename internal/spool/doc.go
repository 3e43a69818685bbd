// Package spool keeps rows beside an output until they can be written: for formats in which a column begins where the one
// before it ends. It also writes columns to places in a file.
package spool
