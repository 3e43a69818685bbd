package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// In returns the values of a plain column as a slice, one value if the column repeats it.
//
// The dtype is not looked at beyond its size: T is what the caller computes in.
func In[T Number](c colstore.Column) []T {
	data, rows, stride := c.Raw()
	if stride == 0 {
		rows = min(rows, 1)
	}
	return unsafe.Slice((*T)(data), rows)
}

// Out returns the values of a plain column that is to be written.
func Out[T Number](c colstore.Column) []T {
	data, rows, _ := c.Raw()
	return unsafe.Slice((*T)(data), rows)
}

// RawIn is [In] for values of any fixed width: the bytes of all values, or of the one that is repeated.
func RawIn(c colstore.Column) []byte {
	data, rows, stride := c.Raw()
	if stride == 0 {
		rows = min(rows, 1)
	}
	return unsafe.Slice((*byte)(data), rows*c.Type().Size())
}

// RawOut is [Out] for values of any fixed width.
func RawOut(c colstore.Column) []byte {
	data, rows, _ := c.Raw()
	return unsafe.Slice((*byte)(data), rows*c.Type().Size())
}

// Words returns the number of 64-row words of a bitmap of n rows.
func Words(n int) int { return (n + 63) / 64 }
