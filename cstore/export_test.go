package cstore

// SetBlockRows makes the records of the block layout smaller than a test would like to fill.
func (w *Writer) SetBlockRows(n int64) { w.blockRows = n }
