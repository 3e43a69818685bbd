package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// probes are the engines that are this program, as a process of its own: work of which commands do not tell how long it
// takes by itself, or that no command does. Each prints an account.
var probes = map[string]struct {
	args string
	run  func(ctx context.Context, args []string) (account, error)
}{
	"gather":      {"FILE ROWS", probeGather},
	"frame":       {"FILE OUT", probeFrame},
	"compact":     {"FILE OUT", probeCompact},
	"concat":      {"FOLDER OUT", probeConcat},
	"small":       {"FILE OUT RECORDS", probeSmall},
	"append":      {"FILE FOLDER ROWS", probeAppend},
	"open":        {"FILE TIMES", probeOpen},
	"open-shards": {"FOLDER TIMES", probeOpenShards},
}

// probe is an engine that is this program, with requests from in if it is a server.
func probe(ctx context.Context, in io.Reader, out io.Writer, name string, args []string) error {
	if name == "serve" && len(args) == 1 {
		return serve(ctx, in, out, args[0])
	}
	return measured(ctx, out, name, args)
}

// measured does the work of an engine that is this program.
func measured(ctx context.Context, out io.Writer, name string, args []string) error {
	p, ok := probes[name]
	if !ok || len(args) != len(strings.Fields(p.args)) {
		usage := []string{"serve FOLDER"}
		for _, n := range slices.Sorted(maps.Keys(probes)) {
			usage = append(usage, n+" "+probes[n].args)
		}
		return fmt.Errorf("-probe %q with %d arguments; there is -probe %s", name, len(args), strings.Join(usage, ", "))
	}
	a, err := p.run(ctx, args)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(a)
}
