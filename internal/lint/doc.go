// Package lint holds the house rules that are tests: which package may import which, where a foreign module may appear,
// and how errors are wrapped.
package lint
