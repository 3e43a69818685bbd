// Package meta reads what a ROOT file says about itself: its header, directories and keys, and of a tree the branches,
// leaves and the tables of their baskets.
//
// # Basics
//
// Everything is parsed from bytes that the caller read: nothing here touches a file. Integers are big-endian. A structure
// is a version behind the number of its bytes, which tells where it ends, so that fields of newer versions are passed
// over.
//
// # Caveats
//
// The bytes may be hostile. Every count is compared with the bytes that are left before anything is allocated, objects
// nest to a limited depth, and every error is a colstore.ErrFormat.
package meta
