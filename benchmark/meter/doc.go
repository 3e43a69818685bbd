// Command meter runs a command and tells its time and its memory.
//
// # Basics
//
//	meter COMMAND [ARGUMENT]...
//
// The command has the standard streams of meter, and meter ends with its exit status. To file descriptor 3, which the command
// does not have, meter writes a line of two numbers: the nanoseconds from the command's start to its exit, and the bytes of its
// largest resident set, 0 where the system does not tell.
//
// An interrupt, which is how a benchmark gives up, kills the command.
//
// # Caveats
//
// A process begins as a copy of the one that starts it, and its largest resident set with it: no peak is less than that of
// meter itself, some 2 MiB. That is why the command is not started by the benchmark, which has far more.
package main
