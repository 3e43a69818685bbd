// Package hbook turns histograms into those of go-hep's hbook, for plots and files of that world.
//
// # Basics
//
// [H1D] and [H2D] take the histogram that an aggregate gave:
//
//	got, err := f.Reduce(ctx, ops.Hist1D("mass", ops.Axis{Bins: 60, Low: 70, High: 110}, nil))
//	…
//	h, err := hbook.H1D(got[0].Hist)
//
// # Memory
//
// The result owes nothing to the histogram it was made of.
//
// # Caveats
//
// An hbook histogram keeps moments of the values in each bin. Here only the bins' contents are known: the moments are
// those of values at the bins' centres, as ROOT computes them for a histogram without any.
package hbook
