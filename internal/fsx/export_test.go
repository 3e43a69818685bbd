package fsx

// GiveBack gives the descriptors of all inputs back that nobody reads from.
func GiveBack() { giveBack() }
