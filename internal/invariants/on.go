//go:build invariants

package invariants

// Enabled tells that the checks are compiled in.
const Enabled = true
