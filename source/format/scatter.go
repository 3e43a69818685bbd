package format

import "encoding/binary"

// Scatter puts values of lists into the columns that their places in the rows have: value j goes to row rows[j] of
// columns[places[j]]. A column may be nil: nobody asked for it.
//
//	for j := range rows {
//		copy(columns[places[j]][rows[j]*cells[places[j]]:], values[j*size:(j+1)*size])
//	}
//
// Shapes: len(values) = len(rows) × size; len(rows) = len(places). cells are the bytes of a value of each column, at
// least size; what is left of one becomes 0.
func Scatter(columns [][]byte, cells []int, values []byte, size int, rows, places []int32) {
	places = places[:len(rows)]
	for _, cell := range cells {
		if cell != size {
			scatterWider(columns, cells, values, size, rows, places)
			return
		}
	}
	switch size {
	case 1:
		for j, p := range places {
			if c := columns[p]; c != nil {
				c[rows[j]] = values[j]
			}
		}
	case 4:
		for j, p := range places {
			if c := columns[p]; c != nil {
				binary.LittleEndian.PutUint32(c[4*int(rows[j]):], binary.LittleEndian.Uint32(values[4*j:]))
			}
		}
	case 8:
		for j, p := range places {
			if c := columns[p]; c != nil {
				binary.LittleEndian.PutUint64(c[8*int(rows[j]):], binary.LittleEndian.Uint64(values[8*j:]))
			}
		}
	default:
		for j, p := range places {
			if c := columns[p]; c != nil {
				copy(c[int(rows[j])*size:][:size], values[j*size:])
			}
		}
	}
}

// scatterWider is [Scatter] where cells are wider than values.
func scatterWider(columns [][]byte, cells []int, values []byte, size int, rows, places []int32) {
	for j, p := range places {
		if c := columns[p]; c != nil {
			cell := c[int(rows[j])*cells[p]:][:cells[p]]
			clear(cell[copy(cell, values[j*size:(j+1)*size]):])
		}
	}
}

// Repeat fills dst with copies of one value.
//
// Shapes: len(dst) is a multiple of len(value).
func Repeat(dst, value []byte) {
	for n := copy(dst, value); n > 0 && n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
