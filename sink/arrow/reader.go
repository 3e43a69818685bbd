package arrow

import (
	"iter"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	bridge "github.com/colstore/colstore-go/internal/arrow"
)

// NewReader returns the batches as records, a record a batch, each made when it is asked for. s is the schema of the
// batches: that of the frame or source they come from.
//
//	schema, err := f.Schema()
//	…
//	r, err := arrow.NewReader(schema, f.Batches(ctx, 0))
//	…
//	defer r.Release()
//	for r.Next() {
//		use(r.Record())
//	}
//	return r.Err()
//
// The sequence is read once, by one goroutine at a time. The caller releases the reader, also after the last record: that
// ends the sequence.
//
// Memory: a record lives until the next call of Next unless it is retained. What is retained still counts against the
// budget of the run it comes from.
// Errors: colstore.ErrType for a dtype that Arrow has no type for, naming the column. Those of the sequence, of [Record]
// and colstore.ErrMismatch for a batch of another schema end the records and are told by Err.
func NewReader(s *colstore.Schema, batches iter.Seq2[*colstore.Batch, error]) (array.RecordReader, error) {
	e, err := bridge.NewEncoder(s)
	if err != nil {
		return nil, err
	}
	r := &reader{encoder: e}
	r.refs.Store(1)
	r.next, r.stop = iter.Pull2(batches)
	return r, nil
}

// A reader pulls batches and makes records of them.
type reader struct {
	refs    atomic.Int64
	encoder *bridge.Encoder
	next    func() (*colstore.Batch, error, bool)
	stop    func()
	record  arrow.Record
	err     error
}

func (r *reader) Retain() { r.refs.Add(1) }

func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.end(nil)
	}
}

// end releases the record, if there is one, and ends the sequence.
func (r *reader) end(err error) {
	r.drop()
	r.stop()
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}

func (r *reader) Schema() *arrow.Schema { return r.encoder.Schema() }
func (r *reader) Record() arrow.Record  { return r.record }
func (r *reader) Err() error            { return r.err }

func (r *reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	b, err, ok := r.next()
	if err == nil && ok {
		r.record, err = r.encoder.Record(b)
	}
	if err != nil || !ok {
		r.end(err)
		return false
	}
	return true
}
