// Package sink creates anything that rows can be written to.
//
// # Basics
//
// [Create] starts an output, a file whose format its extension or a name tells. What it returns publishes everything in
// Commit or nothing: until then the path is as it was. [Formats] lists what can be written.
package sink
