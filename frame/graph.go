package frame

import (
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// A graph is the typed expressions of a frame: nodes that refer to earlier ones. Equal subexpressions are one node, so
// they are computed once.
type graph struct {
	nodes   []gnode
	ids     map[string]int // key of a node → its number
	applied []*applied     // operators on whole batches
}

// none is no node.
const none = -1

// graphOp is what a typed node does.
type graphOp uint8

const (
	gInput   graphOp = iota // column input of the source
	gRow                    // the global row number
	gConst                  // value in every row
	gTruth                  // the same truth value in every row; bits
	gKernel                 // kernel of args
	gTest                   // test of args; bits
	gLogic                  // connective of args, which are bits; bits
	gBytes                  // a bool column made of bits
	gMade                   // column input of what applied makes
	gUnknown                // a column that was not opened, or made of one: nothing needs it
)

// gnode is one typed node. Its value is a column of typ, or for bits a bitmap.
type gnode struct {
	op       graphOp
	name     string // of a kernel or test, for explanations
	typ      colstore.DType
	bits     bool
	input    int
	applied  int
	value    colstore.Scalar
	truth    bool
	args     []int
	kernel   ops.Kernel
	test     ops.Test
	logic    ops.Logic
	fallible bool
	span     ops.RangeKernel // of a kernel, and the range of a test; nil if unknown
	decided  ops.RangeTest
	origin   *node // the expression it came from, for messages; a bare column for what a step does to it
}

// add returns the number of a node: that of an equal one if there is one. key tells equal nodes; an empty key is unique.
func (g *graph) add(key string, n gnode) int {
	if id, ok := g.ids[key]; ok && key != "" {
		return id
	}
	id := len(g.nodes)
	g.nodes = append(g.nodes, n)
	if key != "" {
		g.ids[key] = id
	}
	return id
}

func (g *graph) input(i int, t colstore.DType) int {
	return g.add(fmt.Sprintf("input %d", i), gnode{op: gInput, typ: t.Native(), input: i})
}

func (g *graph) unknown() int { return g.add("unknown", gnode{op: gUnknown}) }

func (g *graph) isUnknown(id int) bool { return g.nodes[id].op == gUnknown }

func (g *graph) row() int { return g.add("row", gnode{op: gRow, typ: colstore.Int64}) }

func (g *graph) constant(v colstore.Scalar) int {
	return g.add(fmt.Sprintf("const %s %x", v.Type(), v.Cell().At(0)), gnode{op: gConst, typ: v.Type(), value: v})
}

func (g *graph) truth(v bool) int {
	return g.add(fmt.Sprintf("truth %v", v), gnode{op: gTruth, typ: colstore.Bool, bits: true, truth: v})
}

// key names an operation on nodes.
func key(name string, args []int) string {
	var b strings.Builder
	b.WriteString(name)
	for _, a := range args {
		fmt.Fprintf(&b, " %d", a)
	}
	return b.String()
}

// walk calls visit for a node and all it is made of, unless seen.
func (g *graph) walk(id int, seen []bool, visit func(id int)) {
	if id == none || seen[id] {
		return
	}
	seen[id] = true
	visit(id)
	for _, a := range g.nodes[id].args {
		g.walk(a, seen, visit)
	}
}

// isConst returns the value of a node that is the same in every row.
func (g *graph) isConst(id int) (colstore.Scalar, bool) {
	switch n := &g.nodes[id]; n.op {
	case gConst:
		return n.value, true
	case gTruth:
		return colstore.ScalarOf(n.truth), true
	}
	return colstore.Scalar{}, false
}

// constants returns the arguments as columns of one row if all of them are constants.
func (g *graph) constants(args []int) ([]colstore.Column, bool) {
	out := make([]colstore.Column, len(args))
	for i, a := range args {
		v, ok := g.isConst(a)
		if !ok {
			return nil, false
		}
		out[i] = v.Cell()
	}
	return out, len(args) > 0
}

// compute adds a node for a kernel over args; of constants it is their value, computed here.
func (g *graph) compute(name string, k ops.Kernel, t colstore.DType, args []int, fallible bool, origin *node) (int, error) {
	if cols, ok := g.constants(args); ok {
		out := make([]byte, t.Size())
		dst, err := colstore.NewColumn(t, 1, out)
		if err != nil {
			return none, err
		}
		if err := k(dst, cols); err != nil {
			return none, err
		}
		return g.constant(colstore.ScalarAt(dst, 0)), nil
	}
	return g.add(key(name+" "+t.String(), args), gnode{op: gKernel, name: name, typ: t, args: args, kernel: k, fallible: fallible, origin: origin}), nil
}

// decide adds a node for a test over args; of constants, or of nothing, it is a truth value.
func (g *graph) decide(name string, test ops.Test, args []int, fallible bool, origin *node) (int, error) {
	cols, ok := g.constants(args)
	if ok || len(args) == 0 {
		var bits [1]uint64
		if err := test(bits[:], cols, 1); err != nil {
			return none, err
		}
		return g.truth(bits[0]&1 != 0), nil
	}
	return g.add(key(name, args), gnode{op: gTest, name: name, typ: colstore.Bool, bits: true, args: args, test: test, fallible: fallible, origin: origin}), nil
}

// connect adds a connective of truth values, simplified where one is constant.
func (g *graph) connect(l ops.Logic, args []int) int {
	if l == ops.Not {
		n := &g.nodes[args[0]]
		switch {
		case n.op == gTruth:
			return g.truth(!n.truth)
		case n.op == gLogic && n.logic == ops.Not:
			return n.args[0]
		}
		return g.add(key("not", args), gnode{op: gLogic, typ: colstore.Bool, bits: true, logic: l, args: args})
	}
	a, b := args[0], args[1]
	if g.nodes[a].op == gTruth {
		a, b = b, a
	}
	if n := &g.nodes[b]; n.op == gTruth {
		switch {
		case l == ops.And && n.truth, l == ops.Or && !n.truth, l == ops.Xor && !n.truth:
			return a
		case l == ops.Xor:
			return g.connect(ops.Not, []int{a})
		default:
			return b // false and …, true or …
		}
	}
	if a == b && l != ops.Xor {
		return a
	}
	name := map[ops.Logic]string{ops.And: "and", ops.Or: "or", ops.Xor: "xor"}[l]
	return g.add(key(name, []int{a, b}), gnode{op: gLogic, typ: colstore.Bool, bits: true, logic: l, args: []int{a, b}})
}

// asBits returns the truth of a node as a bitmap.
func (g *graph) asBits(id int) (int, error) {
	n := &g.nodes[id]
	if n.bits {
		return id, nil
	}
	if n.op == gBytes {
		return n.args[0], nil
	}
	arg, test := ops.Truth(n.typ)
	if test == nil {
		return none, fmt.Errorf("%w: %s is neither true nor false", colstore.ErrType, n.typ.Name())
	}
	wide, err := g.convert(id, arg)
	if err != nil {
		return none, err
	}
	bits, err := g.decide("truth", test, []int{wide}, false, nil)
	return g.ranged(bits, ops.Overload{Test: test, Range: ops.TruthRange(arg)}), err
}

// asColumn returns a node's value as a column.
func (g *graph) asColumn(id int) int {
	n := &g.nodes[id]
	switch {
	case !n.bits:
		return id
	case n.op == gTruth:
		return g.constant(colstore.ScalarOf(n.truth))
	}
	return g.add(key("bytes", []int{id}), gnode{op: gBytes, typ: colstore.Bool, args: []int{id}})
}

// convert returns a node's value as a column of dtype t, which has a width.
func (g *graph) convert(id int, t colstore.DType) (int, error) {
	id = g.asColumn(id)
	if g.nodes[id].typ == t {
		return id, nil
	}
	k, fallible, err := ops.Cast(g.nodes[id].typ, t)
	if err != nil {
		return none, err
	}
	to, err := g.compute("cast", k, t, []int{id}, fallible, nil)
	return g.ranged(to, ops.Overload{Kernel: k, KernelRange: ops.CastRange(g.nodes[id].typ, t, ops.CastPlain)}), err
}

// fillBits makes a bitmap of n rows all ones or all zeros.
func fillBits(dst []uint64, truth bool, n int) {
	if truth {
		kernel.Ones(dst, n)
	} else {
		clear(dst)
	}
}
