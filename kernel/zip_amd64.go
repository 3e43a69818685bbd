//go:build !purego

package kernel

// zipFast moves rows of fields that zipped found, from row on, into records or apart, and returns how many of n it did.
func zipFast(fields []field, row, n int, apart bool) int {
	if len(fields) == 1 || !has(LevelSSE) {
		return 0
	}
	var columns [4]*byte
	for i := range fields {
		columns[i] = (*byte)(fields[i].column.at(row))
	}
	a, b, c, d := columns[0], columns[1], columns[2], columns[3]
	records, width := (*byte)(fields[0].record.at(row)), fields[0].record.step
	switch {
	case len(fields) == 4 && apart:
		unzip4x4(a, b, c, d, records, width, n/4)
		return n &^ 3
	case len(fields) == 4:
		zip4x4(a, b, c, d, records, width, n/4)
		return n &^ 3
	case fields[0].size == 4 && apart:
		unzip2x4(a, b, records, width, n/4)
		return n &^ 3
	case fields[0].size == 4:
		zip2x4(a, b, records, width, n/4)
		return n &^ 3
	case apart:
		unzip2x8(a, b, records, width, n/2)
	default:
		zip2x8(a, b, records, width, n/2)
	}
	return n &^ 1
}
