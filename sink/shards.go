package sink

import (
	"context"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// Shards says which .cstore files a folder gets. Whatever the batches, every shard but the last has as many rows.
type Shards struct {
	Name string            // template of their names; empty is cstore.DefaultShardName
	Rows int64             // of each but the last; 0: one file for all rows
	Size colstore.ByteSize // of the rows of each but the last, instead of their number
	Add  bool              // there may be shards already, which these are added to; else the folder must hold nothing
}

// Check finds what is wrong with the name and the size.
//
// Errors: colstore.ErrOption.
func (s *Shards) Check() error {
	return (&cstore.AppendOptions{Name: s.Name, ShardRows: s.Rows, ShardBytes: s.Size}).Validate()
}

// checkShards returns how the folder of a spec grows.
func checkShards(s Spec) (*cstore.AppendOptions, error) {
	fail := func(what string) (*cstore.AppendOptions, error) {
		return nil, &colstore.Error{Op: "append", Path: s.Path, Err: fmt.Errorf("%w: %s", colstore.ErrOption, what)}
	}
	file := s
	file.Path, file.Shards, file.Append = cstore.DefaultShardName, nil, false
	d, options, err := check(file)
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		return nil, &colstore.Error{Op: "append", Path: s.Path, Column: e.Column, Err: e.Err}
	}
	switch {
	case err != nil:
		return nil, err
	case d.Name != "cstore":
		return fail("shards are .cstore files, not " + d.Name)
	case !options.Bool("compact"):
		return fail("a shard has one record, so compact is true")
	case s.Replace:
		return fail("a folder is not replaced; append to it, or write another")
	}
	o := &cstore.AppendOptions{
		Name: s.Shards.Name, ShardRows: s.Shards.Rows, ShardBytes: s.Shards.Size, Split: true,
		Stats: options.Bool("statistics"), New: !s.Shards.Add, Lock: s.Lock,
	}
	_, err = cstore.CheckAppend(s.Path, s.Schema, o)
	return o, err
}

func createShards(ctx context.Context, s Spec) (colstore.Sink, error) {
	o, err := checkShards(s)
	if err != nil {
		return nil, err
	}
	return cstore.NewAppenderIn(ctx, s.Path, s.Schema, o)
}

// CheckApart is [cstore.CheckApart]: it refuses an input that lies in the folder that gets shards.
func CheckApart(dir, path string) error { return cstore.CheckApart(dir, path) }

// Published returns the shards that a sink has published, with ok if it is one of shards.
func Published(s colstore.Sink) (shards []cstore.Shard, ok bool) {
	a, ok := s.(*cstore.Appender)
	if !ok {
		return nil, false
	}
	return a.Shards(), true
}
