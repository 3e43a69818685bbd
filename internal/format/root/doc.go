// Package root reads and writes ROOT files: tables as TTrees.
//
// # Basics
//
// [Descriptor] is the format. A branch of a tree is a column: it has one leaf, of a bool, an integer or a float, and one
// value a row. Values are stored with the most significant byte first, some thousands together, in baskets, each of which
// is compressed by itself. The tree, which is an object with one for each branch and each leaf in it, tells where baskets are.
//
// A file that is written has the baskets as they are full, then the tree, then what tells where that is. Its bytes depend on
// rows, dtypes and options alone.
//
// # Memory
//
// A writer holds a basket for each branch, and those that are compressed beside each other; where baskets are, which is 16
// bytes for each, it holds until the end.
//
// # Caveats
//
// Branches have no text, no times and no float16, and names of letters, digits and underscores only.
package root
