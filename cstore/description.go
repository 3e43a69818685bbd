package cstore

import (
	"runtime"
	"sync"
	"weak"

	"github.com/colstore/colstore-go"
)

// A description is what a manifest says: the same for all files that have the same bytes there, as the shards of a folder
// do. It is immutable.
type description struct {
	manifest manifest
	schema   *colstore.Schema
	prefix   []int // bytes of a row before each column
}

// descriptions are those that somebody still uses, by the bytes of their manifests: of ten thousand shards one is decoded
// and held.
var descriptions = struct {
	sync.Mutex
	known map[string]weak.Pointer[description]
}{known: map[string]weak.Pointer[description]{}}

// describe decodes and checks a manifest, or returns what was made of the same bytes before.
func describe(raw []byte) (*description, error) {
	descriptions.Lock()
	d := descriptions.known[string(raw)].Value()
	descriptions.Unlock()
	if d != nil {
		return d, nil
	}
	m, s, err := parseManifest(raw)
	if err != nil {
		return nil, err
	}
	d = &description{m, s, prefixes(s)}
	key := string(raw)
	descriptions.Lock()
	defer descriptions.Unlock()
	if other := descriptions.known[key].Value(); other != nil {
		return other, nil // somebody else was faster
	}
	descriptions.known[key] = weak.Make(d)
	runtime.AddCleanup(d, forgetDescription, key)
	return d, nil
}

// forgetDescription drops a description that nobody uses any more, unless it was made anew meanwhile.
func forgetDescription(key string) {
	descriptions.Lock()
	defer descriptions.Unlock()
	if descriptions.known[key].Value() == nil {
		delete(descriptions.known, key)
	}
}

// prefixes returns the bytes of a row before each column.
func prefixes(s *colstore.Schema) []int {
	out := make([]int, s.Len())
	for i := 1; i < len(out); i++ {
		out[i] = out[i-1] + s.Field(i-1).Type.Size()
	}
	return out
}
