// Package encoding decodes and encodes the value streams of Parquet pages.
//
// # Basics
//
// A decoder is reset onto the bytes of one page and then read in pieces of any size; it holds a position, never a decoded
// page, so that its memory does not depend on what a page claims to hold. [Hybrid] is the mixture of runs and packed
// numbers that levels and dictionary indices are written in, [Delta] differences of integers, [Strings] the three
// layouts of byte arrays, [Split] byte streams.
//
// # Memory
//
// Decoders share the bytes they are reset onto.
//
// # Caveats
//
// Decoders take hostile bytes: what does not fit is colstore.ErrFormat, never a panic.
package encoding

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{colstore.ErrFormat}, args...)...)
}

// errShort is a stream with fewer values than its page declares.
var errShort = bad("the page has fewer values than it declares")
