// Package invariants switches the checks that are too dear for a release build on or off.
//
// Build with `-tags invariants` to enable them: counters of what is alive are kept and tests demand that they end at
// zero, freed buffers are mangled, and use after release stops the program.
package invariants
