package main

import (
	"context"
	"errors"
	"sync"

	"github.com/colstore/colstore-go"
	room "github.com/colstore/colstore-go/internal/memory"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source"
)

// limits adds the engines that do what a call cannot do without, and nothing else, on the same memory: "copy" moves as many
// bytes as the call does, "read" adds up the column, "random" reads its values at the row numbers. Their loops are
// plain, and not those of the library; but where memory answers late, only a loop that asks for it ahead comes near what it
// can do, so that "kernel" is the library's, alone.
func (c *calls) limits(rows []int64) error {
	p := c.pattern
	moved := c.moved()
	if p.Kind != "reduce" && p.Kind != "random" && moved == 0 {
		return nil
	}
	view := source.ViewOf(c.src)
	if p.Column != "" {
		view = view.Select(p.Column)
	}
	mapped, err := view.ZeroCopy()
	if err != nil {
		return nil // of several records, or swapped: there is no such memory
	}
	c.held = append(c.held, func() error { mapped.Release(); return nil })
	var columns [][]byte
	for i := range mapped.Schema().Len() {
		data, ok := mapped.At(i).Bytes()
		if !ok {
			return errors.New("a mapped column is not dense")
		}
		columns = append(columns, data)
	}
	first := mapped.At(0)
	switch {
	case p.Kind == "reduce":
		data, _, _ := first.Raw()
		words, err := colstore.Values[uint64](colstore.RawColumn(colstore.Uint64, len(columns[0])/8, 8, data))
		if err != nil {
			return err
		}
		c.both("read", func(_ context.Context, threads int) (output, error) {
			return output{limit: true, columns: []colstore.Column{readAll(words, threads)}}, nil
		})
	case p.Kind == "random":
		pick, err := picker(first, rows)
		if err != nil || pick == nil {
			return err
		}
		c.both("random", func(_ context.Context, threads int) (output, error) {
			parts(len(rows), threads, pick)
			return output{limit: true}, nil
		})
		run, size := kernel.NewRuns([]int64{0, c.rows}), first.Type().Size()
		dst := touched(len(rows) * size)
		c.both("kernel", func(_ context.Context, threads int) (output, error) {
			parts(len(rows), threads, func(begin, end int) {
				run.Gather(dst[begin*size:end*size], []colstore.Column{first}, rows[begin:end])
			})
			return output{limit: true}, nil
		})
	default:
		dst := touched(moved / 2)
		c.both("copy", func(_ context.Context, threads int) (output, error) {
			copyAll(dst, columns, threads)
			return output{limit: true}, nil
		})
	}
	return nil
}

// moved returns the bytes that a call into memory there is has to read and write, 0 if its limit is not a copy. A store
// of parts of lines reads them first, but for a copy as a whole.
func (c *calls) moved() int {
	n, all := int(c.rows), 0
	for i := range c.src.Schema().Len() {
		all += c.src.Schema().Field(i).Type.Size()
	}
	size := 0
	if f, ok := c.src.Schema().Index(c.pattern.Column); ok {
		size = c.src.Schema().Field(f).Type.Size()
	}
	part := n * c.pattern.Percent / 100
	switch p := c.pattern; {
	case p.Kind == "slice":
		return n / 2 * size * 2
	case p.Kind == "dict":
		return n * all * 2
	case p.Kind == "sorted" && p.Percent == 50:
		return n*size + part*8 + 2*part*size
	case p.Kind == "mask" && p.Percent == 50:
		return n*size + n + 2*part*size
	case p.Kind == "records" && p.Percent == 0:
		return n*all + 2*n*all
	case p.Name == "expr_arith":
		return n*24 + 2*n*8
	case p.Name == "expr_hypot":
		return n*16 + 2*n*8
	case p.Name == "expr_pred":
		return n*16 + 2*n
	}
	return 0
}

// parts calls f for the parts of 0 … n, each on its own goroutine.
func parts(n, threads int, f func(begin, end int)) {
	if threads == 1 {
		f(0, n)
		return
	}
	var all sync.WaitGroup
	for t := range threads {
		all.Go(func() { f(n*t/threads, n*(t+1)/threads) })
	}
	all.Wait()
}

// readAll adds words, so that nothing is read without need.
func readAll(words []uint64, threads int) colstore.Column {
	sums := make([]uint64, threads)
	parts(threads, threads, func(t, _ int) {
		w := words[len(words)*t/threads : len(words)*(t+1)/threads]
		var a, b, c, d uint64
		for len(w) >= 8 {
			a += w[0] + w[4]
			b += w[1] + w[5]
			c += w[2] + w[6]
			d += w[3] + w[7]
			w = w[8:]
		}
		sums[t] = a + b + c + d
	})
	return colstore.Wrap(sums)
}

// copyAll fills dst from the columns, one after the other and again.
func copyAll(dst []byte, columns [][]byte, threads int) {
	parts(len(dst), threads, func(begin, end int) {
		at := begin
		for skip := begin; at < end; {
			for _, c := range columns {
				if skip >= len(c) {
					skip -= len(c)
					continue
				}
				at += copy(dst[at:end], c[skip:])
				skip = 0
			}
		}
	})
}

// picker returns what copies the values of a column at a part of rows, or nil for values of no number's size.
func picker(c colstore.Column, rows []int64) (func(begin, end int), error) {
	data, n, stride := c.Raw()
	switch stride {
	case 1:
		return pickerOf[uint8](colstore.RawColumn(colstore.Uint8, n, stride, data), rows)
	case 2:
		return pickerOf[uint16](colstore.RawColumn(colstore.Uint16, n, stride, data), rows)
	case 4:
		return pickerOf[uint32](colstore.RawColumn(colstore.Uint32, n, stride, data), rows)
	case 8:
		return pickerOf[uint64](colstore.RawColumn(colstore.Uint64, n, stride, data), rows)
	}
	return nil, nil
}

func pickerOf[T colstore.Native](c colstore.Column, rows []int64) (func(begin, end int), error) {
	from, err := colstore.Values[T](c)
	if err != nil {
		return nil, err
	}
	to := room.Make[T](len(rows))
	clear(to)
	return func(begin, end int) {
		part := to[begin:end]
		for i, r := range rows[begin:end] {
			part[i] = from[r]
		}
	}, nil
}
