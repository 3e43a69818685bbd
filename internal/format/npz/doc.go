// Package npz reads and writes NumPy's archives: a zip file with one .npy member a column.
//
// # Basics
//
// [Descriptor] is the format. A member NAME.npy is the column NAME; members without that ending are left out with a
// warning. Names are only names: nothing is ever extracted to a path. An array of one dimension is a column, one without
// dimensions a column of one row; everything else (more dimensions, objects, structures, complex numbers, 80-bit floats) is
// an error when it is asked for, and only then. Big-endian arrays become little-endian.
//
// Stored members are views of the mapped file. Compressed ones (deflate, bzip2) are decompressed as the scan goes, each by
// a stream of its own, so that the columns of a batch are decoded at the same time. A scan that reads a column from its
// first row to its last checks its CRC before it hands out the last rows; one that reads a part cannot.
//
// A written archive is byte for byte what numpy.savez writes, unless it is compressed: then the bytes of the deflate
// streams differ, and still do not depend on batches or threads.
//
// # Memory
//
// A scan holds a window of 40 KiB for each deflated column and 4 MiB for each bzip2 one, unless the whole column is smaller. A writer whose rows are
// reserved and stored writes them where they belong and holds nothing. Else the rows are collected in a hidden file beside
// the target, since a column begins where the one before it ends.
//
// # Caveats
//
// LZMA members, encrypted members and a bare .npy file are refused. Compressed members are read from the beginning,
// whatever row is asked for.
package npz
