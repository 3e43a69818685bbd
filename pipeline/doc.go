// Package pipeline declares a run as data: where rows come from, the frames they pass through, where they go, what is
// reported, and the limits it keeps.
//
// # Basics
//
// A [Pipeline] has one input, read once, and one or more [Branch]es, each a frame and an output. Recipes, the command
// line and Go programs all make this same value; package runtime runs it. [Convert] makes the pipelines of a conversion:
// which input becomes which output.
//
// # Caveats
//
// Nothing here opens a file. Formats are known by their names and extensions only, which the caller hands in.
package pipeline
