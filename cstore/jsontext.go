package cstore

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/colstore/colstore-go/internal/text"
)

// A manifest's JSON is read where it lies, without a tree of its values: a hostile one must not take many times its size,
// and most of what opening a small file costs would be that tree.

const (
	maxNesting = 16      // of arrays and objects in each other; those of a manifest are three deep
	maxMembers = 1 << 16 // of an object; a column has four
)

// span is a piece of the text.
type span struct{ begin, end int32 }

func (s span) of(json []byte) []byte { return json[s.begin:s.end] }

// member is a key, its quotes included, and a value of an object.
type member struct{ key, value span }

// checkJSON returns the place of the one value that the text holds, or an error that says at which byte it is no JSON.
// What it has passed, the other functions of this file take without checks.
func checkJSON(json []byte) (span, error) {
	c := jsonChecker{json: json}
	c.space()
	begin := c.at
	if !c.value(0) {
		return span{}, c.fault()
	}
	end := c.at
	if c.space(); c.at < len(json) {
		return span{}, fmt.Errorf("bytes after the JSON text, at byte %d", c.at)
	}
	return span{int32(begin), int32(end)}, nil
}

// jsonChecker walks JSON text. Its methods report whether what they expect is there, and stand behind it then.
type jsonChecker struct {
	json []byte
	at   int
	over string // the limit that it is beyond
}

func (c *jsonChecker) fault() error {
	switch {
	case c.over != "":
		return fmt.Errorf("%s at byte %d", c.over, c.at)
	case c.at >= len(c.json):
		return fmt.Errorf("not JSON: it ends in the middle of a value")
	default:
		return fmt.Errorf("not JSON: %q at byte %d", c.json[c.at], c.at)
	}
}

func (c *jsonChecker) space() {
	for c.at < len(c.json) && isSpace(c.json[c.at]) {
		c.at++
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// next skips white space and takes the byte b.
func (c *jsonChecker) next(b byte) bool {
	c.space()
	if c.at < len(c.json) && c.json[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *jsonChecker) value(depth int) bool {
	if c.at >= len(c.json) {
		return false
	}
	switch b := c.json[c.at]; b {
	case '"':
		return c.text()
	case '{', '[':
		if depth == maxNesting {
			c.over = fmt.Sprintf("nested more than %d deep", maxNesting)
			return false
		}
		return c.list(b, depth+1)
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		return c.number()
	}
}

// list takes an array or an object, whose first byte it stands at.
func (c *jsonChecker) list(opening byte, depth int) bool {
	object, closing := opening == '{', opening+2 // ASCII has [\] and {|}
	c.at++
	if c.next(closing) {
		return true
	}
	for n := 0; ; n++ {
		if object && n == maxMembers {
			c.over = fmt.Sprintf("an object of more than %d members", maxMembers)
			return false
		}
		c.space()
		if object && (c.at >= len(c.json) || c.json[c.at] != '"' || !c.text() || !c.next(':')) {
			return false
		}
		c.space()
		if !c.value(depth) {
			return false
		}
		if c.next(closing) {
			return true
		}
		if !c.next(',') {
			return false
		}
	}
}

func (c *jsonChecker) word(w string) bool {
	for i := range len(w) {
		if c.at >= len(c.json) || c.json[c.at] != w[i] {
			return false
		}
		c.at++
	}
	return true
}

func (c *jsonChecker) text() bool {
	for c.at++; c.at < len(c.json); c.at++ {
		switch b := c.json[c.at]; {
		case b == '"':
			c.at++
			return true
		case b < ' ':
			return false
		case b == '\\':
			c.at++
			if c.at >= len(c.json) {
				return false
			}
			if c.json[c.at] == 'u' {
				for range 4 {
					if c.at++; c.at >= len(c.json) || !isHex(c.json[c.at]) {
						return false
					}
				}
			} else if bytes.IndexByte([]byte(`"\/bfnrt`), c.json[c.at]) < 0 {
				return false
			}
		}
	}
	return false
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func (c *jsonChecker) number() bool {
	if c.json[c.at] == '-' {
		c.at++
	}
	if c.at < len(c.json) && c.json[c.at] == '0' {
		c.at++
	} else if !c.digits() {
		return false
	}
	if c.at < len(c.json) && c.json[c.at] == '.' {
		if c.at++; !c.digits() {
			return false
		}
	}
	if c.at < len(c.json) && c.json[c.at]|0x20 == 'e' {
		c.at++
		if c.at < len(c.json) && (c.json[c.at] == '+' || c.json[c.at] == '-') {
			c.at++
		}
		return c.digits()
	}
	return true
}

func (c *jsonChecker) digits() bool {
	begin := c.at
	for c.at < len(c.json) && c.json[c.at] >= '0' && c.json[c.at] <= '9' {
		c.at++
	}
	return c.at > begin
}

// cursor walks the values of a checked array, or the keys and values of a checked object.
type cursor struct {
	json   []byte
	at     int32
	object bool
}

func walk(json []byte, list span) cursor {
	return cursor{json, list.begin + 1, json[list.begin] == '{'}
}

func (c *cursor) next() (key, value span, ok bool) {
	c.at = skipTo(c.json, c.at)
	if b := c.json[c.at]; b == ']' || b == '}' {
		return key, value, false
	}
	if c.object {
		key = span{c.at, valueEnd(c.json, c.at)}
		c.at = skipTo(c.json, key.end)
	}
	value = span{c.at, valueEnd(c.json, c.at)}
	c.at = value.end
	return key, value, true
}

// appendMembers appends the members of a checked object.
func appendMembers(dst []member, json []byte, object span) []member {
	for c := walk(json, object); ; {
		key, value, ok := c.next()
		if !ok {
			return dst
		}
		dst = append(dst, member{key, value})
	}
}

// skipTo returns the place of the next byte of checked JSON that is no white space, comma or colon.
func skipTo(json []byte, at int32) int32 {
	for isSpace(json[at]) || json[at] == ',' || json[at] == ':' {
		at++
	}
	return at
}

// valueEnd returns the end of the checked value at a place.
func valueEnd(json []byte, at int32) int32 {
	depth := 0
	for {
		switch json[at] {
		case '"':
			for at++; json[at] != '"'; at++ {
				if json[at] == '\\' {
					at++
				}
			}
			at++
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ' ', '\n', '\t', '\r', ',', ':':
			at++
			continue // no value ends here
		default:
			for int(at) < len(json) && !endsWord(json[at]) {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// endsWord reports whether a byte ends a number, true, false or null.
func endsWord(b byte) bool { return b == ',' || b == '}' || b == ']' || b == ':' || isSpace(b) }

// find returns the value of the last member of that name, which is the one that counts.
func find(json []byte, members []member, name string) (span, bool) {
	for _, m := range slices.Backward(members) {
		if isText(m.key.of(json), name) {
			return m.value, true
		}
	}
	return span{}, false
}

// isText reports whether a checked value is that text, which needs no escapes.
func isText(raw []byte, want string) bool {
	if raw[0] != '"' {
		return false
	}
	return string(raw[1:len(raw)-1]) == want || bytes.IndexByte(raw, '\\') >= 0 && unquote(raw) == want
}

// unquote returns the text of a checked JSON string. Half of a surrogate pair is U+FFFD.
func unquote(raw []byte) string {
	raw = raw[1 : len(raw)-1]
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return string(raw)
	}
	out := append(make([]byte, 0, len(raw)), raw[:i]...)
	for i < len(raw) {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		r, n := unescape(raw[i:])
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
}

// unescape returns the character of the escape that b begins with, and the bytes it takes.
func unescape(b []byte) (rune, int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(b[2:])
		if utf16.IsSurrogate(r) {
			if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(b[8:])); pair != utf8.RuneError {
					return pair, 12
				}
			}
			return utf8.RuneError, 6
		}
		return r, 6
	default:
		return rune(b[1]), 2
	}
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}

// checksum computes the CRC of JSON values printed the way the manifest's is taken: sorted keys, ", " and ": ",
// everything outside printable ASCII escaped, numbers as Python prints them.
type checksum struct {
	json    []byte
	members []member // of the objects that are open
	out     []byte   // printed, not yet in sum
	sum     uint32
}

// flushAt is how much printed text is kept at most.
const flushAt = 512

func (c *checksum) flush() {
	c.sum = crc32.Update(c.sum, crc32.IEEETable, c.out)
	c.out = c.out[:0]
}

func (c *checksum) print(s string) {
	if c.out = append(c.out, s...); len(c.out) >= flushAt {
		c.flush()
	}
}

// printAs prints bytes as they are.
func (c *checksum) printAs(b []byte) {
	if len(b) >= flushAt {
		c.flush()
		c.sum = crc32.Update(c.sum, crc32.IEEETable, b)
		return
	}
	if c.out = append(c.out, b...); len(c.out) >= flushAt {
		c.flush()
	}
}

// value prints a checked value.
func (c *checksum) value(v span) {
	raw := v.of(c.json)
	switch raw[0] {
	case '"':
		c.text(raw)
	case '[':
		c.array(v)
	case '{':
		c.object(v)
	case 't', 'f', 'n':
		c.printAs(raw)
	default:
		c.number(raw)
	}
}

func (c *checksum) array(v span) {
	c.print("[")
	first := true
	for items := walk(c.json, v); ; first = false {
		_, item, ok := items.next()
		if !ok {
			break
		}
		if !first {
			c.print(", ")
		}
		c.value(item)
	}
	c.print("]")
}

func (c *checksum) object(v span) {
	open := len(c.members)
	c.members = appendMembers(c.members, c.json, v)
	slices.SortStableFunc(c.members[open:], func(a, b member) int { return compareKeys(c.json, a.key, b.key) })
	end := len(c.members)
	c.print("{")
	first := true
	for i := open; i < end; i++ {
		m := c.members[i]
		if i+1 < end && compareKeys(c.json, m.key, c.members[i+1].key) == 0 {
			continue // the last of a name counts
		}
		if !first {
			c.print(", ")
		}
		first = false
		c.text(m.key.of(c.json))
		c.print(": ")
		c.value(m.value)
	}
	c.print("}")
	c.members = c.members[:open]
}

func compareKeys(json []byte, a, b span) int {
	x, y := a.of(json), b.of(json)
	if bytes.IndexByte(x, '\\') < 0 && bytes.IndexByte(y, '\\') < 0 {
		return bytes.Compare(x[1:len(x)-1], y[1:len(y)-1])
	}
	return cmp.Compare(unquote(x), unquote(y))
}

// text prints a checked string.
func (c *checksum) text(raw []byte) {
	plain := true
	for _, b := range raw {
		plain = plain && b >= ' ' && b < 0x7f && b != '\\'
	}
	if plain {
		c.printAs(raw)
		return
	}
	c.out = append(c.out, '"')
	for raw = raw[1 : len(raw)-1]; len(raw) > 0; {
		var r rune
		var n int
		if raw[0] == '\\' {
			r, n = unescape(raw)
		} else {
			r, n = utf8.DecodeRune(raw)
		}
		if c.out = appendEscaped(c.out, r); len(c.out) >= flushAt {
			c.flush()
		}
		raw = raw[n:]
	}
	c.out = append(c.out, '"')
}

func (c *checksum) number(raw []byte) {
	if bytes.IndexByte(raw, '.') < 0 && bytes.IndexByte(raw, 'e') < 0 && bytes.IndexByte(raw, 'E') < 0 {
		if string(raw) == "-0" {
			raw = raw[1:]
		}
		c.printAs(raw) // JSON has no other spelling of a whole number
		return
	}
	f, _ := strconv.ParseFloat(string(raw), 64) // out of range is an infinity
	switch s := text.AppendFloat(nil, f, 64); string(s) {
	case "inf":
		c.print("Infinity")
	case "-inf":
		c.print("-Infinity")
	default:
		c.print(string(s))
	}
}
