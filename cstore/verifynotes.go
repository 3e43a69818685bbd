package cstore

import (
	"bytes"
	"fmt"

	"github.com/colstore/colstore-go"
)

// note looks for what harms no reader: bytes that are no part of the table and padding that is not zero.
func (v *verifier) note() {
	data := v.r.m.Data()
	add := func(format string, args ...any) {
		v.result.Notes = append(v.result.Notes, fmt.Sprintf(format, args...))
	}
	if !zeros(data[countersAt+countersCRC+4 : manifestLenAt]) {
		add("the reserved bytes of the counters are not zero")
	}
	if !zeros(data[v.h.padding:max(v.h.padding, min(v.h.dataAt, int64(len(data))))]) {
		add("the padding behind the manifest is not zero")
	}
	rowBytes := v.r.schema.RowBytes()
	odd, first := 0, 0
	for i, rec := range v.r.records {
		body, _ := bodySize(rec.rows, rowBytes)
		if !zeros(data[rec.body+rec.rows*int64(rowBytes):rec.body+body]) || !zeros(data[rec.body-recordHeaderSize+20:rec.body-recordHeaderSize+recordCRC]) {
			if odd++; odd == 1 {
				first = i
			}
		}
	}
	if odd > 0 {
		add("padding or reserved bytes of %s, the first of them record %d, are not zero", count(int64(odd), "record"), first)
	}
	end := v.end()
	over := int64(len(data)) - end
	switch {
	case v.result.Statistics && v.r.stats == nil:
		return // what is there instead of statistics is a finding
	case v.r.stats != nil:
		over = v.h.statsOffset - end
	}
	if over == 0 {
		return
	}
	text := fmt.Sprintf("%s behind the last record %s no part of the table", count(over, "byte"), map[bool]string{true: "is", false: "are"}[over == 1])
	records, rows := v.uncommitted(end, end+over)
	if records > 0 {
		text += fmt.Sprintf(": a writer died that had not committed %s with %s; a repair can take them", count(records, "record"), count(rows, "row"))
	}
	add("%s", text)
}

// uncommitted counts the whole records between the committed ones and end.
func (v *verifier) uncommitted(at, end int64) (records, rows int64) {
	data := v.r.m.Data()
	for at <= end-recordHeaderSize {
		n, body, err := checkRecordHeader(data[at:][:recordHeaderSize], at, int64(len(v.r.records))+records, v.r.schema.RowBytes())
		if err != nil || body > end-at-recordHeaderSize {
			break
		}
		records, rows, at = records+1, rows+n, at+recordHeaderSize+body
	}
	return records, rows
}

func zeros(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// findRow adds a finding about rows of a column, the first of them row.
func (v *verifier) findRow(record, column int, row int64, err error) {
	v.add(&colstore.Error{
		Op: "verify", Path: v.r.path, Record: colstore.At(int64(record)), Column: v.r.schema.Field(column).Name, Row: colstore.At(row), Err: err,
	})
}
