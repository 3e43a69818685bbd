// Package plot shows histograms: as pictures (SVG, PNG, PDF), as ROOT files, as JSON, and as text for a terminal.
//
// # Basics
//
// [Encode] gives the bytes of a file in one of [Formats], [Text] the lines for a terminal of some width.
//
// # Memory
//
// Everything is made in memory; a picture's size does not depend on the data behind the histogram.
//
// # Caveats
//
// A picture of more than 1000 bins on an axis shows neighbouring bins as one, with the mean of their contents.
//
// The same histogram and labels give the same bytes: no file has a date, a random identifier or the name of a machine.
package plot
