package cstore

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// DefaultShardName is the template of shards' names that an [Appender] uses unless it is told another.
const DefaultShardName = "shard_{index:05d}.cstore"

const extension = ".cstore"

// shardName is the template of shards' names, read.
type shardName struct {
	text          string
	template      *fsx.Template
	literal       bool   // it has no index: there is one such shard
	before, after string // the index
}

// parseShardName reads a template: the name of a .cstore file in the folder, with {index} or {index:0Nd} once, or without
// it for one shard of this very name. Doubled braces are braces.
//
// Errors: colstore.ErrOption.
func parseShardName(text string) (*shardName, error) {
	bad := func(what string) (*shardName, error) {
		return nil, fmt.Errorf("%w: shard name %q: %s", colstore.ErrOption, text, what)
	}
	t, err := fsx.ParseTemplate("shard name", text, "index")
	if err != nil {
		return nil, err
	}
	n := &shardName{text: text, template: t}
	before, after, times, blanks := t.AroundIndex()
	n.before, n.after, n.literal = before, after, times == 0
	switch {
	case times > 1:
		return bad("{index} is there twice")
	case blanks:
		return bad("a width is filled with zeros, for instance {index:05d}")
	case strings.ContainsAny(text, "/\\\x00"):
		return bad("it names a file in the folder; the folder itself is named apart from it")
	case !strings.HasSuffix(text, extension):
		return bad("it must end in " + extension + ", or readers of the folder do not see the shard")
	case n.literal && before == extension:
		return bad("it is nothing but " + extension)
	case strings.HasPrefix(before, "."):
		return bad("readers of the folder do not see hidden files; leave out the dot in front")
	}
	return n, nil
}

// name returns the name of a shard.
func (n *shardName) name(index int64) string { return n.template.Name(index, nil) }

// next returns one more than the highest index among names, 0 if none has one. Gaps are not filled: a shard that was
// removed does not come back as another.
//
// Errors: colstore.ErrRange if there is no number above.
func (n *shardName) next(names []string) (int64, error) {
	next := int64(0)
	if n.literal {
		return 0, nil
	}
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, n.before)
		digits, ok2 := strings.CutSuffix(rest, n.after)
		if !ok || !ok2 || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		i, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || i == math.MaxInt64 {
			return 0, fmt.Errorf("%w: the number of %s leaves none for another shard; rename it, or choose another name for the new ones", colstore.ErrRange, name)
		}
		next = max(next, i+1)
	}
	return next, nil
}

// shardsOf returns the names of a folder's shards in natural order: the .cstore files that readers of the folder see.
func shardsOf(entries []fs.DirEntry) []string {
	var out []string
	for _, e := range entries {
		if isShard(e) {
			out = append(out, e.Name())
		}
	}
	slices.SortFunc(out, fsx.CompareNatural)
	return out
}

func isShard(e fs.DirEntry) bool {
	return !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && strings.EqualFold(filepath.Ext(e.Name()), extension)
}

func namesOf(entries []fs.DirEntry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out
}
