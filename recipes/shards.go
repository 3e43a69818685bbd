package recipes

import (
	"path/filepath"

	"github.com/colstore/colstore-go/sink"
)

// shardFormat is the format of shards.
const shardFormat = "cstore"

const shardExtension = ".cstore"

// readShardSize reads where one shard ends and the next begins: rows, or a size with its unit.
func readShardSize(l *loader, o *output, v value) {
	if !l.shards(o, v) || !l.is(v, scalarNode) {
		return
	}
	if n, bad := parseNumber(v.value); v.style == plain && (n != nil || bad != nil) {
		if rows, ok := l.count(v, 1); ok {
			o.out.Shards.Rows = rows
		}
		return
	}
	o.out.Shards.Size, _ = l.size(v)
}

// readShardName reads the template of the shards' names, with or without the extension.
func readShardName(l *loader, o *output, v value) {
	name, ok := l.text(v)
	if !ok || !l.shards(o, v) {
		return
	}
	if filepath.Ext(name) != shardExtension {
		name += shardExtension
	}
	o.out.Shards.Name = name
}

// shards reports whether the output is a folder of shards.
func (l *loader) shards(o *output, v value) bool {
	if !o.folder && o.out.Path != "" {
		l.fail(codeOutput, v.node, "%q is about a folder of shards, and %s is a file", v.name, o.out.Path).Hint = "the path of a folder ends in /"
	}
	return o.folder
}

// finishFolder checks what several fields of a folder are about.
func (l *loader) finishFolder(o *output, v value) {
	if f := o.out.Format; f != "" && f != shardFormat {
		l.fail(codeOutput, v.get("format"), "a folder gets .cstore files, not %s", f)
		return
	}
	at := v.get("shard_name")
	if at == nil {
		at = pathOf(v)
	}
	// The folder itself is looked at when the recipe runs.
	s := sink.Shards{Name: o.out.Shards.Name, Rows: o.out.Shards.Rows, Size: o.out.Shards.Size}
	if err := s.Check(); err != nil {
		l.fail(codeOutput, at, "%s", withoutKind(err.Error())).Err = err
	}
}
