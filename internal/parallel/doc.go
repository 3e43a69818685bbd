// Package parallel splits one piece of work over a given number of goroutines.
package parallel
