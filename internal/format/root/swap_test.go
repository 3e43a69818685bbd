package root

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
)

// swapRef is what swapStrided means, a byte at a time.
func swapRef(dst, src []byte, t colstore.DType, stride int) {
	size := t.Size()
	isLittle := !t.BigEndian()
	for i := 0; i < len(dst)/size; i++ {
		v := slices.Clone(src[i*stride:][:size])
		if isLittle && !nativeIsBig() {
			slices.Reverse(v)
		}
		if t == colstore.Bool && v[0] != 0 {
			v[0] = 1
		}
		copy(dst[i*size:], v)
	}
}

func nativeIsBig() bool {
	b := make([]byte, 2)
	swap2(b, []byte{0, 1})
	return b[1] == 1
}

func TestSwap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]byte, 40*300)
	for i := range src {
		src[i] = byte(r.Uint32() & r.Uint32())
	}
	const guard = 0xa5
	for _, typ := range []colstore.DType{colstore.Bool, colstore.Int8, colstore.Uint16, colstore.Float32, colstore.Int64} {
		size := typ.Size()
		for rows := range 70 {
			for _, stride := range []int{size, size + 1, 37} {
				for offset := range 3 {
					in := src[offset:][:max(0, (rows-1)*stride+size)]
					if rows == 0 {
						in = nil
					}
					got, want := bytes.Repeat([]byte{guard}, rows*size+8), bytes.Repeat([]byte{guard}, rows*size+8)
					swapStrided(got[:rows*size], in, typ, stride)
					swapRef(want[:rows*size], in, typ, stride)
					if !bytes.Equal(got, want) {
						t.Fatalf("%s, %d rows, stride %d, offset %d", typ, rows, stride, offset)
					}
					for i := range rows {
						swapOne(got[i*size:], in[i*stride:], typ)
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("%s, one by one", typ)
					}
				}
			}
		}
	}
}
