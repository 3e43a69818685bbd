package json

import (
	"bytes"
	"slices"
)

// An outline is what a file that is an object looks like from above: which members it has, and what they begin with. It
// tells the orient, in whatever order the members come, and lines from one object. It is taken in one pass over the
// structure of the text, in a window, before anything is read; what is wrong with the text is found later.
type outline struct {
	members map[string]*member // those whose names say something
	others  bool               // there is another one
	scalars bool               // one is neither a list nor an object
	empty   bool               // there is none
	closed  bool               // the object ends, and
	behind  byte               // this follows it; 0 for nothing

	depth    int
	value    bool    // at depth 1: what comes next belongs to a value
	current  *member // whose value is being passed over
	first    bool    // the next byte begins the first element of current
	inText   bool
	escaped  bool
	word     []byte // the text, up to longestName
	nowhere  member // that of others
	position int64  // bytes passed over
}

// A member is a value of the object.
type member struct {
	opener byte // its first byte
	first  byte // that of its first element, or what closes it
	fields bool // it has itself a member "fields"
}

var membersThatTell = []string{"columns", "data", "index", "schema"}

const longestName = 16 // more than the names that say something have

// orient returns what the object is.
func (o *outline) orient() string {
	columns, data, schema := o.members["columns"], o.members["data"], o.members["schema"]
	isList := func(m *member) bool { return m != nil && m.opener == '[' }
	switch {
	case o.scalars, o.empty, o.closed && o.behind == '{':
		return orientLines
	case schema != nil && schema.fields && (isList(data) || data == nil && !o.others && len(o.members) == 1):
		return orientTable
	case isList(columns) && isList(data) && (data.first == '[' || data.first == ']') && !o.others && schema == nil:
		return orientSplit
	}
	return orientColumns
}

// told reports whether more text would say nothing else. No record is longer than most bytes; but members that say
// something may be at the end, so that they are waited for as long as others of them are there.
func (o *outline) told(most int) bool {
	return o.scalars || o.closed && o.behind != 0 || o.position > int64(most) && len(o.members) == 0
}

// add takes the next piece of text into account.
func (o *outline) add(p []byte) {
	o.position += int64(len(p))
	for i := 0; i < len(p); i++ {
		if o.inText {
			i += o.text(p[i:])
			continue
		}
		// Deep inside only what opens and closes matters.
		for o.depth > 1 && !o.first && i < len(p) && !structural[p[i]] {
			i++
		}
		if i == len(p) {
			return
		}
		c := p[i]
		if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
			continue
		}
		if o.closed {
			o.behind = c
			return
		}
		if o.first {
			o.first, o.current.first = false, c
		}
		if o.depth == 1 && o.value && o.current.opener == 0 {
			o.current.opener = c
			o.scalars = o.scalars || c != '[' && c != '{'
			o.first = c == '[' || c == '{'
		}
		o.step(c)
		if o.scalars {
			return
		}
	}
}

// structural are the bytes outside texts that matter everywhere.
var structural = func() (t [256]bool) {
	for _, c := range []byte(`"{}[]:`) {
		t[c] = true
	}
	return t
}()

// step takes a byte outside texts into account.
func (o *outline) step(c byte) {
	switch c {
	case '"':
		o.inText, o.word = true, o.word[:0]
	case '{', '[':
		o.depth++
	case '}', ']':
		if o.depth--; o.depth <= 0 {
			o.closed = true
			o.empty = len(o.members) == 0 && !o.others
		}
	case ',':
		if o.depth == 1 {
			o.value = false
		}
	case ':':
		switch {
		case o.depth == 1 && !o.value:
			o.value, o.current = true, o.member(string(o.word))
		case o.depth == 2 && o.current != nil && o.current.opener == '{' && string(o.word) == "fields":
			o.current.fields = true
		}
	}
}

// member returns a new member of that name. Of one that is there twice the later one counts, as elsewhere.
func (o *outline) member(name string) *member {
	if !slices.Contains(membersThatTell, name) {
		o.others = true
		o.nowhere = member{}
		return &o.nowhere
	}
	m := &member{}
	if o.members == nil {
		o.members = map[string]*member{}
	}
	o.members[name] = m
	return m
}

// text passes over a text that goes on at p, and returns the place of its last byte.
func (o *outline) text(p []byte) int {
	i := 0
	if !o.escaped {
		// Most texts have no escapes.
		end := bytes.IndexByte(p, '"')
		if end < 0 {
			end = len(p)
		}
		if slash := bytes.IndexByte(p[:end], '\\'); slash < 0 {
			o.keep(p[:end])
			o.inText = end == len(p)
			return min(end, len(p)-1)
		}
	}
	for ; i < len(p); i++ {
		switch c := p[i]; {
		case o.escaped:
			o.escaped = false
		case c == '\\':
			o.escaped = true
		case c == '"':
			o.inText = false
			return i
		}
		o.keep(p[i : i+1])
	}
	return len(p) - 1
}

// keep remembers the beginning of a text that may be a name.
func (o *outline) keep(p []byte) {
	if o.depth <= 2 && len(o.word) < longestName {
		o.word = append(o.word, p[:min(len(p), longestName-len(o.word))]...)
	}
}
