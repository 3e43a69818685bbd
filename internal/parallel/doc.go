// Package parallel splits one piece of work over a given number of goroutines.
//
// # Basics
//
// [Each] calls a function for 0 … n-1; [EachBound] does so on the CPUs that a context asks for. The calls are handed out one
// by one, so that it does not matter how long each takes. The number of goroutines is the caller's choice: nothing here asks
// how many processors there are.
//
// # Caveats
//
// Every call runs under the guard of package fault: a fault on a mapped file is an error. Any other panic is one on the
// goroutine that it happens on, which nobody may be able to recover: the function must not panic.
package parallel
