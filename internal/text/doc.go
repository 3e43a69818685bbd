// Package text writes values as text and reads them back: numbers as NumPy and Python spell them, dates in ISO 8601,
// cells of JSON. What it prints reads back as the same bits.
package text
