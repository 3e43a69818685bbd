package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
	"github.com/colstore/colstore-go/ops"
)

// An Explanation is what a program does, for people and, as JSON, for programs: what it reads, what it computes on which
// rows, what it shares, what it leaves to the source. Values are named t1, t2, …; the same name in both stages is the same
// value.
type Explanation struct {
	Steps         []string           `json:"steps"`          // as written
	Inputs        []ExplainedColumn  `json:"inputs"`         // columns of the source that are read
	SourceColumns int                `json:"source_columns"` // that the source has
	Columns       []ExplainedColumn  `json:"columns"`        // of the result; Value says how each comes about
	BytesIn       int                `json:"bytes_in"`       // a row of the inputs
	BytesOut      int                `json:"bytes_out"`      // a row of the result, views and constants included
	BytesHeld     int                `json:"bytes_held"`     // a row of a batch beside its input: Program.RowBytes
	BytesWork     int                `json:"bytes_work"`     // a row of a chunk's intermediate values
	ChunkRows     int                `json:"chunk_rows"`
	Applied       []ExplainedValue   `json:"applied"`   // operators, over whole batches of every row
	Dense         []ExplainedValue   `json:"dense"`     // over every row, for the cuts and weights
	Survivors     []ExplainedValue   `json:"survivors"` // over the rows that the cuts leave
	Shared        []ExplainedSharing `json:"shared"`    // values that are computed once and used more than once
	PushedDown    []string           `json:"pushed_down"`
	Passthrough   bool               `json:"passthrough"`      // every column is an unchanged input and no row is dropped
	Copied        bool               `json:"copied,omitempty"` // and so are the bytes, from file to file: nothing is decoded
	// Skipped is what statistics leave out, where somebody asked: [Frame.Skips]. Nil if nothing could be left out.
	Skipped *colstore.SkipCounts `json:"skipped,omitempty"`
}

// An ExplainedColumn is a column of the source or of the result.
type ExplainedColumn struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Value string `json:"value,omitempty"` // of the result: "t3", "x, unchanged", "2.5 in every row"
}

// An ExplainedValue is one instruction: a value and how it is computed, or a cut, which has no value.
type ExplainedValue struct {
	Value      string `json:"value,omitempty"`
	DType      string `json:"dtype,omitempty"` // "bits" for a bitmap
	Operation  string `json:"operation"`
	Expression string `json:"expression,omitempty"` // that it stands for, as written
}

// An ExplainedSharing is a value that several others, cuts or columns use.
type ExplainedSharing struct {
	Value      string `json:"value"`
	Expression string `json:"expression"`
	Uses       int    `json:"uses"`
}

// bound is what a program was compiled from, kept to explain it.
type bound struct {
	steps   []step
	source  *colstore.Schema
	all     int // columns of the source, opened or not
	graph   *graph
	columns []binding
	cuts    []cut
}

// Explain returns the frame's program over its source. Limits are among its steps; the program is that of the rows which
// they leave.
func (f *Frame) Explain() (*Explanation, error) {
	p, err := f.Unlimited().program()
	if err != nil {
		return nil, err
	}
	e := p.Explain()
	e.Steps = nil
	for _, s := range f.steps() {
		e.Steps = append(e.Steps, s.text())
		if l, ok := s.(*limitStep); ok {
			e.PushedDown = append(e.PushedDown, fmt.Sprintf("rows: %s ends the source at the row that gives survivor %d", l.text(), l.rows))
		}
	}
	return e, nil
}

// Explain says what the program does.
func (p *Program) Explain() *Explanation {
	x := &explainer{p: p, b: p.from, names: map[int]string{}}
	e := &Explanation{
		Steps: []string{}, Applied: []ExplainedValue{}, Dense: []ExplainedValue{}, Survivors: []ExplainedValue{}, Shared: []ExplainedSharing{},
		SourceColumns: p.from.all, BytesIn: p.inputBytes(), BytesOut: p.schema.RowBytes(), BytesHeld: p.RowBytes(), BytesWork: p.arena, ChunkRows: p.chunk, Passthrough: p.Passthrough(),
	}
	for _, s := range p.from.steps {
		e.Steps = append(e.Steps, s.text())
	}
	for _, f := range p.inputs {
		e.Inputs = append(e.Inputs, ExplainedColumn{Name: f.Name, DType: f.Type.String()})
	}
	for _, a := range p.appliers {
		e.Applied = append(e.Applied, x.applied(a))
	}
	for _, in := range p.dense {
		e.Dense = append(e.Dense, x.value(in, in.op == iLoad)...)
	}
	for _, in := range p.after {
		e.Survivors = append(e.Survivors, x.value(in, in.op == iLoad)...)
	}
	for i, c := range p.from.columns {
		f := p.schema.Field(i)
		e.Columns = append(e.Columns, ExplainedColumn{f.Name, f.Type.String(), x.result(c.id)})
	}
	e.Shared = append(e.Shared, x.shared()...)
	e.PushedDown = append(e.PushedDown, fmt.Sprintf("columns: %d of %d are read", len(p.inputs), p.from.all))
	if conditions := p.Prunes(); conditions != "" {
		e.PushedDown = append(e.PushedDown, "rows: groups whose statistics exclude "+conditions+" are left out")
	}
	return e
}

// explainer names the values of a program.
type explainer struct {
	p     *Program
	b     *bound
	names map[int]string // node → "t1"
}

// name returns the name of a node's value: a column of the source, a constant, or a number of its own.
func (x *explainer) name(id int) string {
	n := &x.b.graph.nodes[id]
	switch n.op {
	case gInput:
		return Col(x.b.source.Field(n.input).Name).String()
	case gMade:
		a := x.b.graph.applied[n.applied]
		return Col(a.out.Field(n.input).Name).String() + " of " + a.step.op.Name()
	case gRow:
		return "row()"
	case gConst:
		return constantText(n.value)
	case gTruth:
		return map[bool]string{true: "True", false: "False"}[n.truth]
	}
	if _, ok := x.names[id]; !ok {
		x.names[id] = fmt.Sprintf("t%d", len(x.names)+1)
	}
	return x.names[id]
}

// constantText prints a typed constant without its dtype where the value alone tells enough.
func constantText(v colstore.Scalar) string {
	tree := scalarTree(v)
	if v.Type().IsNumber() {
		return tree.(*query.Call).Args[0].(*query.Text).Value
	}
	return query.Print(tree)
}

// value returns what an instruction does, nothing if it only shows a column of the batch.
func (x *explainer) value(in instr, silent bool) []ExplainedValue {
	switch {
	case silent || in.op == iRow || in.op == iMinus:
		return nil
	case in.op == iCut:
		return []ExplainedValue{{Operation: x.cut(in.input)}}
	}
	n := &x.b.graph.nodes[in.node]
	v := ExplainedValue{Value: x.name(in.node), DType: n.typ.String()}
	if n.bits {
		v.DType = "bits"
	}
	switch in.op {
	case iCompress, iPack:
		v.Operation = "survivors of " + v.Value
	case iCopy:
		v.Operation = "copy of " + v.Value
	default:
		v.Operation = x.fused(n, in.inside)
		if n.origin != nil {
			v.Expression = n.origin.show()
		}
	}
	return []ExplainedValue{v}
}

// applied describes what an operator takes.
func (x *explainer) applied(a applier) ExplainedValue {
	takes := make([]string, len(a.applied.args))
	for i, id := range a.applied.args {
		takes[i] = x.name(id)
	}
	v := ExplainedValue{Operation: a.step.op.Name() + "(" + strings.Join(takes, ", ") + ") makes " + nameList(a.step.out)}
	for i, id := range a.applied.args {
		if n := &x.b.graph.nodes[id]; n.origin != nil {
			v.Expression += fmt.Sprintf(", where %s is %s", takes[i], n.origin.show())
		}
	}
	v.Expression = strings.TrimPrefix(v.Expression, ", ")
	return v
}

// cut describes the end of a cut.
func (x *explainer) cut(i int) string {
	c := x.b.cuts[i]
	if c.silent {
		return "sample: keep " + x.name(c.pred)
	}
	out := "cut"
	if c.label != "" {
		out += " " + c.label
	}
	out += ": keep " + x.name(c.pred)
	if c.weight != none {
		out += ", weight " + x.name(c.weight)
	}
	return out
}

// operation prints a computed node with the names of its arguments.
func (x *explainer) operation(n *gnode) string { return x.fused(n, nil) }

// fused is operation with what is computed inside printed in the place of its name.
func (x *explainer) fused(n *gnode, inside []int) string {
	args := make([]string, len(n.args))
	for i, a := range n.args {
		if slices.Contains(inside, a) {
			args[i] = x.fused(&x.b.graph.nodes[a], inside)
		} else {
			args[i] = x.name(a)
		}
	}
	name, use, _ := strings.Cut(n.name, " ")
	if strings.HasPrefix(use, "[1 0]") { // the mirrored kernel computes it
		slices.Reverse(args)
	}
	switch {
	case n.op == gLogic:
		name = map[ops.Logic]string{ops.And: "and", ops.Or: "or", ops.Xor: "xor", ops.Not: "not"}[n.logic]
	case n.op == gBytes:
		name = "bool"
	case name == "cast":
		name = n.typ.Name()
	case name == "member" && n.origin != nil:
		return args[0] + " in " + query.Print(listTree(n.origin.members))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// result says what a column of the result is.
func (x *explainer) result(id int) string {
	switch n := &x.b.graph.nodes[id]; n.op {
	case gInput:
		return x.name(id) + ", unchanged"
	case gConst, gTruth:
		return x.name(id) + " in every row"
	}
	return x.name(id)
}

// shared lists the computed values with more than one use.
func (x *explainer) shared() []ExplainedSharing {
	g := x.b.graph
	uses := make([]int, len(g.nodes))
	var use func(id int)
	use = func(id int) {
		if uses[id]++; uses[id] > 1 {
			return
		}
		for _, a := range g.nodes[id].args {
			use(a)
		}
	}
	for _, c := range x.b.cuts {
		use(c.pred)
		if c.weight != none {
			use(c.weight)
		}
	}
	for _, c := range x.b.columns {
		use(c.id)
	}
	var out []ExplainedSharing
	for id, n := range g.nodes {
		if uses[id] < 2 || !slices.Contains([]graphOp{gKernel, gTest, gLogic}, n.op) {
			continue
		}
		s := ExplainedSharing{Value: x.name(id), Expression: x.operation(&n), Uses: uses[id]}
		if n.origin != nil {
			s.Expression = n.origin.show()
		}
		out = append(out, s)
	}
	return out
}
