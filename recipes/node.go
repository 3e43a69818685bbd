package recipes

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// The limits of a tree.
const (
	maxDepth   = 100     // lists and maps in each other
	maxAliases = 50      // aliases in what aliases stand for
	maxShared  = 100_000 // values that aliases and merge keys add to those that are written
)

type kind uint8

const (
	scalarNode kind = iota
	listNode
	mapNode
)

// A node is one value of a recipe, with aliases and merge keys resolved.
type node struct {
	doc     *document
	kind    kind
	begin   int // the byte of doc.text
	value   string
	style   style
	flow    bool    // a list in [ ], a map in { }
	items   []*node // of a list
	entries []entry // of a map: its own, then the merged ones
	offsets []int   // see locate; nil until asked for
	broken  bool    // an error was reported that leaves no value to read

	values  int // of the tree, with what aliases stand for
	aliases int // the most in each other
}

type entry struct{ key, value *node }

// empty reports whether nothing is written where the value belongs.
func (n *node) empty() bool { return n.kind == scalarNode && n.style == plain && n.value == "" }

// get returns the value of a key, or nil.
func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key.value == key {
			return e.value
		}
	}
	return nil
}

// span returns the bytes of the file that bytes begin to end of a scalar's value come from.
func (n *node) span(begin, end int) (int, int) {
	if n.offsets == nil {
		n.offsets = locate(n.doc.text, n.begin, n.style, n.value)
		if n.offsets == nil {
			n.offsets = make([]int, len(n.value)+1)
			for i := range n.offsets {
				n.offsets[i] = n.begin
			}
		}
	}
	from := n.offsets[min(begin, len(n.value))]
	if begin >= end || end > len(n.value) {
		return from, from
	}
	// The end is behind the last byte, which need not be where the next one begins.
	last := n.offsets[end-1]
	size := 1
	switch rest := n.doc.text[last:]; {
	case n.style == doubleQuoted && strings.HasPrefix(rest, `\`):
		_, size = unescape(rest)
	case n.style == singleQuoted && strings.HasPrefix(rest, "''"):
		size = 2
	}
	return from, min(last+max(1, size), len(n.doc.text))
}

// bounds returns the bytes that show a value: all of a scalar, quotes included, the first key of a block map, the bracket
// of a flow list.
func (n *node) bounds() (begin, end int) {
	switch {
	case n.kind == mapNode && !n.flow && len(n.entries) > 0 && n.entries[0].key.begin == n.begin:
		return n.entries[0].key.bounds()
	case n.kind != scalarNode:
		return n.begin, n.begin + 1
	case n.style == plain:
		_, end = n.span(0, len(n.value))
		return n.begin, max(n.begin, end)
	case n.style == literal || n.style == folded:
		return n.begin, n.begin + 1
	}
	n.span(0, 0)
	return n.begin, min(n.offsets[len(n.value)]+1, len(n.doc.text))
}

// compose reads the YAML of a document. The node is nil if there is none that can be looked at.
func compose(d *document) (*node, Errors) {
	loader, err := yaml.NewLoader(strings.NewReader(d.text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, Errors{d.problem(codeYAML, 0, 0, "%v", err)}
	}
	var doc, second yaml.Node
	if err := loader.Load(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			e := d.problem(codeDocuments, 0, 0, "the file is empty; a recipe begins with  recipe: 1")
			return nil, Errors{e}
		}
		return nil, Errors{d.notYAML(err)}
	}
	c := &composer{doc: d, done: map[*yaml.Node]*node{}, open: map[*yaml.Node]bool{}}
	root := c.node(doc.Content[0])
	switch err := loader.Load(&second); {
	case err == nil:
		at := d.offset(second.Content[0].Line, second.Content[0].Column)
		c.errs = append(c.errs, d.problem(codeDocuments, at, at, "a second document begins here; a file has one recipe"))
	case !errors.Is(err, io.EOF):
		c.errs = append(c.errs, d.notYAML(err))
	}
	if c.bomb {
		return nil, c.errs
	}
	return root, c.errs
}

// A composer turns the parser's nodes into ours, in the order of the text.
type composer struct {
	doc    *document
	done   map[*yaml.Node]*node
	open   map[*yaml.Node]bool // that are being made, to find aliases of what they are in
	shared int                 // values that aliases and merge keys added
	bomb   bool                // was reported
	line   int                 // of the last value
	errs   Errors
}

func (c *composer) fail(code string, n *node, format string, args ...any) {
	if len(c.errs) == maxProblems {
		return
	}
	begin, end := n.bounds()
	c.errs = append(c.errs, c.doc.problem(code, begin, end, format, args...))
}

// tooMuch reports what nests or repeats too much, once.
func (c *composer) tooMuch(n *node, format string, args ...any) {
	if !c.bomb {
		c.bomb = true
		c.fail(codeBomb, n, format, args...)
	}
}

// node converts a node and what is in it.
func (c *composer) node(y *yaml.Node) *node {
	if n, ok := c.done[y]; ok {
		return n
	}
	n := &node{doc: c.doc, begin: c.doc.offset(y.Line, y.Column), values: 1, style: styleOf(y.Style), flow: y.Style&yaml.FlowStyle != 0}
	switch y.Kind {
	case yaml.AliasNode:
		return c.alias(y, n)
	case yaml.ScalarNode:
		n.value = y.Value
	case yaml.SequenceNode:
		n.kind = listNode
	default:
		n.kind = mapNode
	}
	c.properties(y, n)
	c.indented(n)
	c.open[y] = true
	if n.kind == listNode {
		for _, item := range y.Content {
			n.items = append(n.items, c.child(n, item))
		}
	}
	if n.kind == mapNode {
		c.entries(y, n)
	}
	delete(c.open, y)
	c.done[y] = n
	return n
}

// child converts what is in n.
func (c *composer) child(n *node, y *yaml.Node) *node {
	x := c.node(y)
	aliases := x.aliases
	if y.Kind == yaml.AliasNode {
		aliases++
	}
	n.values = min(n.values+x.values, 1<<40)
	n.aliases = max(n.aliases, aliases)
	return x
}

// alias returns what an alias stands for.
func (c *composer) alias(y *yaml.Node, n *node) *node {
	n.value = "*" + y.Value
	if c.open[y.Alias] {
		c.fail(codeBomb, n, "the alias *%s is inside of what it stands for", y.Value)
		n.broken = true
		return n
	}
	x := c.node(y.Alias)
	if c.shared += x.values; c.shared > maxShared {
		c.tooMuch(n, "aliases stand for more than %d values", maxShared)
	}
	if x.aliases >= maxAliases {
		c.tooMuch(n, "aliases stand for aliases more than %d times over", maxAliases)
	}
	return x
}

// indented refuses tabs before a value that begins its line, which the parser lets pass inside of { } and [ ].
func (c *composer) indented(n *node) {
	line := c.doc.lineOf(n.begin)
	if line == c.line {
		return // not the first value of its line
	}
	c.line = line
	before := c.doc.text[c.doc.lines[line-1]:n.begin]
	if strings.TrimLeft(before, " \t") == "" && strings.Contains(before, "\t") && len(c.errs) < maxProblems {
		c.errs = append(c.errs, c.doc.indentedByTab(line))
	}
}

// properties passes over an anchor and refuses a tag, both of which stand before the value.
func (c *composer) properties(y *yaml.Node, n *node) {
	text, at := c.doc.text, n.begin
	if y.Anchor != "" && strings.HasPrefix(text[at:], "&") {
		at = pastBlanks(text, at+1+len(y.Anchor))
	}
	switch {
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		n.broken = true
		if len(c.errs) < maxProblems {
			c.errs = append(c.errs, c.doc.tag(at, text[at:at+endOf(text[at:], " \t\r\n,]}")]))
		}
	case !n.empty():
		n.begin = at
	}
}

// pastBlanks returns where blanks, line breaks and remarks end that begin at a byte of text.
func pastBlanks(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n#", text[at]) >= 0 {
		if text[at] == '#' {
			at += endOf(text[at:], "\r\n")
		} else {
			at++
		}
	}
	return at
}

// tag returns the error about a tag at a byte.
func (d *document) tag(at int, tag string) *Error {
	if strings.HasPrefix(tag, "!!") || strings.HasPrefix(tag, "!<") {
		return d.problem(codeTag, at, at+len(tag), "%s is a YAML tag, which has no meaning in a recipe; quote the value if it is a text", tag)
	}
	e := d.problem(codeQuote, at, at+1, "! starts a tag in YAML; write not, or quote the value")
	if name := strings.TrimLeft(tag, "!"); name != "" {
		e.Hint = "write  not " + name
	}
	return e
}

// endOf returns where the first of the bytes of set is in s, or the end of s.
func endOf(s, set string) int {
	if i := strings.IndexAny(s, set); i >= 0 {
		return i
	}
	return len(s)
}

func styleOf(s yaml.Style) style {
	switch {
	case s&yaml.SingleQuotedStyle != 0:
		return singleQuoted
	case s&yaml.DoubleQuotedStyle != 0:
		return doubleQuoted
	case s&yaml.LiteralStyle != 0:
		return literal
	case s&yaml.FoldedStyle != 0:
		return folded
	}
	return plain
}

// entries converts the keys and values of a map. Merge keys add what the map does not have itself.
func (c *composer) entries(y *yaml.Node, n *node) {
	seen := map[string]*node{}
	var merges []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := c.child(n, y.Content[i]), c.child(n, y.Content[i+1])
		switch first := seen[key.value]; {
		case key.kind != scalarNode:
			c.fail(codeShape, key, "a key is a text, not %s", key.kind)
			continue
		case key.value == "<<" && key.style == plain:
			merges = append(merges, value)
			continue
		case first != nil:
			c.twice(key, first)
			continue
		}
		seen[key.value] = key
		n.entries = append(n.entries, entry{key, value})
	}
	for _, m := range merges {
		c.merge(n, m, seen)
	}
}

// twice reports a key that is there twice. The message says it all, so the line is not shown.
func (c *composer) twice(key, first *node) {
	if len(c.errs) < maxProblems {
		line, _ := c.doc.position(first.begin)
		c.fail(codeTwice, key, "%q is set twice (first on line %d)", key.value, line)
		c.errs[len(c.errs)-1].Source = ""
	}
}

// merge adds the entries of a map, or of a list of maps, that are not there yet.
func (c *composer) merge(n, from *node, seen map[string]*node) {
	maps := from.items
	if from.kind == mapNode {
		maps = []*node{from}
	}
	if len(maps) == 0 && !from.broken {
		c.fail(codeShape, from, "<< takes a map, or a list of maps")
	}
	for _, m := range maps {
		if m.broken {
			continue
		}
		if m.kind != mapNode {
			c.fail(codeShape, m, "<< takes a map, or a list of maps")
			continue
		}
		if c.shared += len(m.entries); c.shared > maxShared {
			c.tooMuch(m, "aliases stand for more than %d values", maxShared)
			return
		}
		for _, e := range m.entries {
			if seen[e.key.value] == nil {
				seen[e.key.value] = e.key
				n.entries = append(n.entries, e)
			}
		}
	}
}

// String returns the kind in words.
func (k kind) String() string { return [...]string{"a text", "a list", "a map"}[k] }
