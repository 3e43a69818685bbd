// Package calibrate measures what kernels can be told about a machine, and keeps it in a file for the next program.
//
// # Basics
//
// [Run] measures a [Target]; [Saved.Save] keeps what was found in one file below the user's cache folder, with a
// [Fingerprint] of the machine. [Apply] reads that file once, for commands when they start and for the library when it first
// reads rows in parallel. A file that is missing, damaged, of another machine or another version is as none.
//
// # Caveats
//
// What is found changes speed only; results are the same bits whatever a file says.
package calibrate
