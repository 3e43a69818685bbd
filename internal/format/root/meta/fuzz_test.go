package meta_test

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// parts returns the list of keys and the objects of the trees of a fixture.
func parts(tb testing.TB, name string) (keys []byte, trees map[meta.Key][]byte) {
	tb.Helper()
	raw, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	h, err := meta.ParseHeader(raw, int64(len(raw)))
	if err != nil {
		tb.Fatal(err)
	}
	d, err := meta.ParseDirectory(raw[h.Directory:])
	if err != nil {
		tb.Fatal(err)
	}
	keys = raw[d.Keys : d.Keys+d.KeysBytes]
	list, err := meta.ParseKeys(keys)
	if err != nil {
		tb.Fatal(err)
	}
	trees = map[meta.Key][]byte{}
	for _, k := range list {
		if meta.IsTree(k.Class) && k.IsStored() {
			trees[k] = raw[k.Seek+int64(k.KeyBytes) : k.Seek+k.Bytes]
		}
	}
	return keys, trees
}

var fixtures = []string{"cycles.root", "g4-like.root", "issue21.root", "jagged.root", "leaves.root", "padding.root", "tntuple.root"}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("an error of no kind: %v", err)
	}
}

// FuzzKeys reads any bytes as a list of keys.
func FuzzKeys(f *testing.F) {
	for _, name := range fixtures {
		keys, _ := parts(f, name)
		f.Add(keys)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := meta.ParseKeys(data)
		check(t, err)
		if len(keys)*meta.KeyBytes > len(data) {
			t.Errorf("%d keys in %d bytes", len(keys), len(data))
		}
		for _, k := range keys {
			if k.Packed() < 0 {
				t.Errorf("%+v", k)
			}
		}
		_, err = meta.ParseHeader(data, int64(len(data)))
		check(t, err)
		_, err = meta.ParseDirectory(data)
		check(t, err)
	})
}

// FuzzTree reads any bytes as a tree, twice.
func FuzzTree(f *testing.F) {
	seeds := 0
	for _, name := range fixtures {
		_, trees := parts(f, name)
		for k, object := range trees {
			f.Add(object, k.Class, k.KeyBytes)
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no tree is stored as it is")
	}
	f.Fuzz(func(t *testing.T, object []byte, class string, keyBytes int) {
		tree, err := meta.ParseTree(object, class, keyBytes)
		check(t, err)
		again, _ := meta.ParseTree(object, class, keyBytes)
		if !reflect.DeepEqual(tree, again) {
			t.Error("parsed twice it is another tree")
		}
		if tree == nil {
			return
		}
		baskets := 0
		for _, b := range tree.Branches {
			baskets += len(b.Baskets)
		}
		if 16*baskets > len(object) {
			t.Errorf("%d baskets in %d bytes", baskets, len(object))
		}
	})
}

// FuzzBasket reads any bytes as the header of a basket.
func FuzzBasket(f *testing.F) {
	for _, name := range fixtures {
		raw, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		_, trees := parts(f, name)
		for k, object := range trees {
			tree, err := meta.ParseTree(object, k.Class, k.KeyBytes)
			if err != nil {
				f.Fatal(err)
			}
			for _, b := range tree.Branches {
				for _, k := range b.Baskets {
					f.Add(raw[k.Seek : k.Seek+min(k.Bytes, meta.BasketBytes)])
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := meta.ParseBasket(data)
		check(t, err)
		if err == nil && (h.Entries < 0 || h.Values < 0 || h.Values > h.ObjectBytes || h.Packed() < 0) {
			t.Errorf("%+v", h)
		}
	})
}
