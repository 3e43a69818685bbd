// Package fsxtest proves that what writes files leaves them whole: when the power goes, when any call fails, when the disk
// is full.
//
// # Basics
//
// A [Scenario] is a program that writes files in steps. [Scenario.Crash] runs it on a [Disk] in memory and reads what every
// crash may leave; [Scenario.EveryCall] lets each call to the file system fail in every way, see [Failing];
// [Scenario.EveryFill] runs it on disks with ever more room, see [OnSmallDisk]. They share what is demanded: each file is in
// the state of before a step or of after it, and the next writer goes on.
//
// # What a crash leaves
//
//   - Of a file whose fsync returned, everything written before it.
//   - Of the sectors written since, each, of 512 bytes, in any of the versions it had since then, or as it was. A write is
//     torn at the borders of sectors, not within one.
//   - The size as of the last fsync, or any that the file had since. What lies within it and was never written holds zeros
//     or garbage.
//   - Of the creations, renames and removals in a folder since the fsync of that folder, any choice, whatever their order.
//     Each is on the disk as a whole or not: a rename is one change of two names.
//   - No lock.
//
// This is the weakest model that users of ext4, XFS, btrfs and APFS need, weaker than each of them: those keep the order of
// changes in one folder, and often bring a file's bytes to the disk before its new name. docs/format.md, "Disk assumptions",
// promises no more to readers than this.
//
// # Caveats
//
// Renames stay within one folder. An image is one of many: the classes are complete for single units and single operations,
// combinations of several are sampled.
package fsxtest
