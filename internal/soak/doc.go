// Package soak sizes the tests that prove by numbers: mutants, crash images, killed writers, steps against a model.
//
// # Basics
//
// Such a test asks [Count] how many of them to try and has a name that ends in Soak. Plain `go test ./...` tries few, so
// that it stays quick; the stage "soak" of .ci/run sets COLSTORE_SOAK=1 and runs the tests of those names alone with their
// full counts; COLSTORE_SOAK=10, for a night, tries ten times as many. Under the race detector, where the same work takes
// ten times as long, there are a tenth of the few.
//
// # Caveats
//
// Case i of a test is the same case whatever the count: it is drawn from i alone. A failure prints what is needed to run
// that case again.
package soak
