//go:build race

package soak

// race tells that the race detector is compiled in.
const race = true
