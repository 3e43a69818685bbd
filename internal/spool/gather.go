package spool

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A Gather collects the rows of small batches in memory until they are worth a write.
type Gather struct {
	schema   *colstore.Schema
	prefix   []int // bytes of a row before each column
	capacity int   // rows
	rows     int
	mem      []byte // columns of capacity rows each
}

// gatherBytes is what a Gather of the default size holds.
const gatherBytes = 1 << 20

// GatherRows returns how many rows of schema s are worth a write.
func GatherRows(s *colstore.Schema) int64 { return int64(max(1, gatherBytes/s.RowBytes())) }

// NewGather returns a Gather for capacity rows of schema s, in native byte order. It takes no memory before the first row.
func NewGather(s *colstore.Schema, capacity int64) Gather {
	g := Gather{schema: s, capacity: int(capacity)}
	row := 0
	for _, f := range s.All() {
		g.prefix = append(g.prefix, row)
		row += f.Type.Size()
	}
	return g
}

// Rows returns the number of rows it holds.
func (g *Gather) Rows() int { return g.rows }

// Fits reports whether there is room for the rows of b. A batch that could fill it alone never fits.
func (g *Gather) Fits(b *colstore.Batch) bool {
	return b.Rows() < g.capacity && g.rows+b.Rows() <= g.capacity
}

// Add copies the rows of b, which must fit. If reading them faults it is as before.
func (g *Gather) Add(b *colstore.Batch) {
	if g.mem == nil {
		g.mem = make([]byte, g.capacity*g.schema.RowBytes())
	}
	for i, p := range g.prefix {
		size := g.schema.Field(i).Type.Size()
		kernel.Load(g.mem[p*g.capacity+g.rows*size:][:b.Rows()*size], b.At(i))
	}
	g.rows += b.Rows()
}

// Batch returns the rows as a batch, which is valid until the next Add.
func (g *Gather) Batch() (*colstore.Batch, error) {
	cols := make([]colstore.Column, len(g.prefix))
	for i, p := range g.prefix {
		t := g.schema.Field(i).Type
		var data []byte
		if g.rows > 0 {
			data = g.mem[p*g.capacity:]
		}
		var err error
		if cols[i], err = colstore.NewColumn(t, g.rows, data); err != nil {
			return nil, err
		}
	}
	return colstore.NewBatch(g.schema, cols...)
}

// Keep drops all rows but the first n.
func (g *Gather) Keep(n int) { g.rows = n }
