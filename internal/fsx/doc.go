// Package fsx is the file system as a writer needs it: files that appear complete or not at all, locks that other
// programs honour, names in natural order; and files to read of which there may be more than the process has descriptors, [Input]. [FS] is an interface so that tests can make the n-th call fail.
package fsx
