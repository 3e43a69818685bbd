package numa_test

import (
	"context"
	"fmt"
	"log"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/numa"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// The workers of what runs under the context are bound to the CPUs of the machine's nodes, in turn. It changes speed only; on
// a machine of one node it changes nothing.
func ExampleBound() {
	schema := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64})
	b, err := colstore.NewBatch(schema, colstore.Wrap([]int64{1, 2, 3}))
	if err != nil {
		log.Fatal(err)
	}
	ctx := numa.Bound(context.Background(), numa.This())
	sum, err := runtime.Reduce(ctx, frame.From(source.Memory(b)), nil, ops.Sum("x"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum[0].Float())
	// Output: 6
}

// A policy says where pages go that are touched first. On one node there is no choice.
func ExamplePolicy_On() {
	one := &numa.Topology{Nodes: []numa.Node{{ID: 0, CPUs: []int{0, 1}}}}
	two := &numa.Topology{Nodes: []numa.Node{{ID: 0, CPUs: []int{0}}, {ID: 1, CPUs: []int{1}}}}
	fmt.Println(numa.Auto.On(one), numa.Auto.On(two))
	// Output: local interleave
}
