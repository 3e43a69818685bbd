// Package fsx is the file system as a writer needs it: files that appear complete or not at all, locks that other
// programs honour, names in natural order. [FS] is an interface so that tests can make the n-th call fail.
package fsx
