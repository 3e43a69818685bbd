package cstore

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
)

// image is an intact file in memory, with what a mutator has to know of it.
type image struct {
	name    string
	data    []byte
	schema  *colstore.Schema
	dataAt  int
	headers []int // offsets of the record headers
	rows    []int64
	end     int // of the committed bytes
}

func loadImages(tb testing.TB, names ...string) []image {
	tb.Helper()
	out := make([]image, len(names))
	for i, n := range names {
		data := golden.Bytes(tb, n+".cstore")
		h, records, end, _, err := openBytes(data)
		if err != nil {
			tb.Fatal(err)
		}
		m := image{name: n, data: data, schema: h.schema, dataAt: int(h.dataAt), end: int(end)}
		for _, r := range records {
			m.headers, m.rows = append(m.headers, int(r.body)-recordHeaderSize), append(m.rows, r.rows)
		}
		out[i] = m
	}
	return out
}

// mutator makes damaged files out of intact ones. Mutant i is drawn from i alone. Checksums are mostly made right again, so
// that what stands behind them is reached.
type mutator struct {
	images []image
	source *rand.PCG
	r      *rand.Rand
	buf    []byte // of the mutant
	spare  []byte
}

func newMutator(images []image) *mutator {
	source := rand.NewPCG(0, 0)
	return &mutator{images: images, source: source, r: rand.New(source)}
}

// mutant returns mutant i, which the next call overwrites.
func (m *mutator) mutant(i int) []byte {
	m.source.Seed(uint64(i), 0x9e3779b97f4a7c15)
	base := &m.images[m.r.IntN(len(m.images))]
	m.buf = append(m.buf[:0], base.data...)
	times := 1
	if m.chance(10) {
		times = 2 + m.r.IntN(3)
	}
	for range times {
		switch n := m.r.IntN(100); {
		case n < 16:
			m.counters(base)
		case n < 32:
			m.manifest(base)
		case n < 42:
			m.manifestText()
		case n < 64:
			m.record(base)
		case n < 82:
			m.footer(base)
		case n < 91:
			m.cut(base)
		default:
			m.splice(base)
		}
	}
	return m.buf
}

// chance reports true in so many of a hundred cases.
func (m *mutator) chance(percent int) bool { return m.r.IntN(100) < percent }

// number returns a number that a field should not survive, or just another one.
func (m *mutator) number(was int64, base *image) int64 {
	size := int64(len(m.buf))
	edges := [...]int64{
		0, 1, -1, 2, 3, 7, 8, 31, 32, 33, 64, size, size - 1, size + 1, int64(base.dataAt), int64(base.end), size / recordHeaderSize,
		math.MaxInt64, math.MinInt64, math.MaxInt64 - 31, math.MaxInt32, math.MaxUint32, 1 << 32, 1 << 62, maxManifest, maxManifest + 1,
		math.MaxInt64 / int64(base.schema.RowBytes()), math.MaxInt64/int64(base.schema.RowBytes()) + 1,
		(size - int64(base.end)) / int64(base.schema.RowBytes()),
	}
	switch m.r.IntN(4) {
	case 0:
		return was + m.r.Int64N(17) - 8
	case 1:
		return m.r.Int64() >> m.r.IntN(64)
	default:
		return edges[m.r.IntN(len(edges))]
	}
}

// put writes a number of n bytes if there is room for it.
func (m *mutator) put(at int, v uint64, n int) {
	if at >= 0 && at <= len(m.buf)-n {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(m.buf[at:at+n], b[:])
	}
}

func (m *mutator) get(at int) int64 {
	if at < 0 || at > len(m.buf)-8 {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(m.buf[at:]))
}

// seal writes the CRC of the n bytes at a place behind them.
func (m *mutator) seal(at, n int) {
	if at >= 0 && at <= len(m.buf)-n {
		m.put(at+n, uint64(crc32.ChecksumIEEE(m.buf[at:at+n])), 4)
	}
}

// sealAll makes right the checksums of the counters, of every record header that follows from them, and of the footer.
func (m *mutator) sealAll() {
	m.seal(countersAt, countersCRC)
	footer := m.get(countersAt + 16)
	if footer > 0 && footer < int64(len(m.buf)-statsFixed-4) {
		m.seal(int(footer), len(m.buf)-int(footer)-4)
	}
	length := m.get(manifestLenAt)
	raw, ok := manifestOf(m.buf)
	if !ok {
		return
	}
	_, s, err := parseManifest(raw)
	if err != nil {
		return
	}
	for at := align(manifestAt+length, dataAlign); at <= int64(len(m.buf)-recordHeaderSize); {
		m.seal(int(at), recordCRC)
		body, ok := bodySize(m.get(int(at)+12), s.RowBytes())
		if !ok || body > int64(len(m.buf)) {
			return
		}
		at += recordHeaderSize + body
	}
}

func (m *mutator) counters(base *image) {
	for range 1 + m.r.IntN(2) {
		at := countersAt + 8*m.r.IntN(3)
		m.put(at, uint64(m.number(m.get(at), base)), 8)
	}
	if m.chance(5) {
		m.put(countersAt+countersCRC+4*m.r.IntN(10), m.r.Uint64(), 4) // the CRC or what is reserved
	} else {
		m.seal(countersAt, countersCRC)
	}
}

func (m *mutator) record(base *image) {
	if len(base.headers) == 0 {
		m.counters(base)
		return
	}
	i := m.r.IntN(len(base.headers))
	at := base.headers[i]
	sum := m.get(countersAt + 8)
	switch m.r.IntN(6) {
	case 0:
		m.put(at, m.r.Uint64(), 1+m.r.IntN(4))
	case 1:
		m.put(at+4, uint64(m.number(int64(i), base)), 8)
	case 2:
		m.put(at+20, m.r.Uint64(), 8)
	default:
		rows := m.number(base.rows[i], base)
		m.put(at+12, uint64(rows), 8)
		sum += rows - base.rows[i]
	}
	if m.chance(95) {
		m.seal(at, recordCRC)
	}
	if m.chance(60) {
		// The rows agree again, and sometimes the record is the last, so that it may have them.
		m.put(countersAt+8, uint64(sum), 8)
		if m.chance(50) {
			m.put(countersAt, uint64(i+1), 8)
			m.put(countersAt+8, uint64(m.get(at+12)+sumOf(base.rows[:i])), 8)
		}
		m.seal(countersAt, countersCRC)
	}
}

func sumOf(n []int64) (sum int64) {
	for _, v := range n {
		sum += v
	}
	return sum
}

// footer damages the statistics, or adds some to a file that has none.
func (m *mutator) footer(base *image) {
	at := int(m.get(countersAt + 16))
	if at < manifestAt || at > len(m.buf)-statsFixed-4 {
		at = min(base.end, len(m.buf))
		m.buf = appendStatsHeader(m.buf[:at], base.schema, len(base.headers))
		for range base.schema.RowBytes()*2*len(base.headers) + base.schema.Len()*len(base.headers) {
			m.buf = append(m.buf, byte(m.r.IntN(2)))
		}
		m.buf = append(m.buf, 0, 0, 0, 0)
		m.put(countersAt+16, uint64(at), 8)
	}
	length := len(m.buf) - at
	switch m.r.IntN(8) {
	case 0:
		m.put(at+8+4*m.r.IntN(3), uint64(m.number(1, base)), 4)
	case 1, 2:
		m.put(at+m.r.IntN(length), m.r.Uint64(), 1)
	case 3:
		m.put(countersAt+16, uint64(m.number(int64(at), base)), 8)
	case 4:
		m.buf = append(m.buf, byte(m.r.Uint32()))
	case 5: // a length of a name or code, or what lies there
		m.put(at+statsFixed+m.r.IntN(min(length-statsFixed, 64)), m.r.Uint64(), 1+m.r.IntN(2))
	case 6: // bounds and flags of all kinds
		for range 8 {
			i := at + m.r.IntN(length)
			m.buf[i] ^= 1 << m.r.IntN(8)
		}
	}
	if m.chance(95) {
		m.seal(at, len(m.buf)-at-4)
	}
	m.seal(countersAt, countersCRC)
}

// cut ends the file early, at a border more often than not, or makes it longer.
func (m *mutator) cut(base *image) {
	borders := [...]int{0, 8, countersAt + countersCRC, manifestLenAt, manifestAt, base.dataAt, base.end, base.end - 1, base.end + 1, len(m.buf) - 1}
	at := borders[m.r.IntN(len(borders))]
	switch {
	case m.chance(30):
		at = m.r.IntN(len(m.buf) + 1)
	case len(base.headers) > 0 && m.chance(40):
		at = base.headers[m.r.IntN(len(base.headers))] + m.r.IntN(recordHeaderSize+2)
	}
	if m.chance(10) {
		m.buf = append(m.buf, m.buf[:m.r.IntN(len(m.buf)+1)]...)
		return
	}
	m.buf = m.buf[:min(max(at, 0), len(m.buf))]
}

// splice moves bytes: between files, within one, or whole records.
func (m *mutator) splice(base *image) {
	if len(m.buf) == 0 {
		return
	}
	other := &m.images[m.r.IntN(len(m.images))]
	switch m.r.IntN(4) {
	case 0: // the head of one file before the tail of another
		m.buf = append(m.buf[:min(base.dataAt, len(m.buf))], other.data[other.dataAt:]...)
	case 1:
		from := m.r.IntN(len(other.data))
		n := min(m.r.IntN(96), len(other.data)-from)
		copy(m.buf[m.r.IntN(len(m.buf)):], other.data[from:from+n])
	case 2: // bytes go or are there twice
		at := m.r.IntN(len(m.buf))
		n := min(1+m.r.IntN(64), len(m.buf)-at)
		m.spare = append(m.spare[:0], m.buf[at:]...)
		if m.chance(50) {
			m.spare = m.spare[n:]
			m.buf = append(m.buf[:at], m.spare...)
		} else {
			m.buf = append(m.buf[:at+n], m.spare...)
		}
	default: // a record in the place of another, numbered for it
		if len(base.headers) == 0 {
			return
		}
		to, from := m.r.IntN(len(base.headers)), m.r.IntN(len(base.headers))
		a, b := base.headers[to], base.headers[from]
		if max(a, b) < len(m.buf) {
			m.spare = append(m.spare[:0], m.buf[b:]...)
			copy(m.buf[a:], m.spare)
			m.put(a+4, uint64(to), 8)
			m.seal(a, recordCRC)
			m.put(countersAt+8, uint64(sumOf(base.rows)+base.rows[from]-base.rows[to]), 8)
			m.seal(countersAt, countersCRC)
		}
	}
}

// jsonMember is a member of a column in a manifest, and how its value is printed for the checksum.
type jsonMember struct{ key, raw, canonical string }

var (
	jsonValues = []jsonMember{
		{"", `"raw"`, `"raw"`}, {"", `"r\u0061w"`, `"raw"`}, {"", "false", "false"}, {"", "true", "true"}, {"", "null", "null"}, {"", "-0", "0"},
		{"", "1.0", "1.0"}, {"", "1e5", "100000.0"}, {"", "1E400", "Infinity"}, {"", `"é"`, `"\u00e9"`}, {"", "[]", "[]"}, {"", "{ }", "{}"},
		{"", `[1,{"b":2 ,"a":[ ]}]`, `[1, {"a": [], "b": 2}]`}, {"", `{"a":1,"a":2}`, `{"a": 2}`}, {"", `""`, `""`}, {"", `"\ud800"`, `"\ufffd"`},
	}
	jsonCodes = []string{"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", ">u4", "<f2", ">f8", "<f4", "|S1", "|S40", "<U2", ">U3", "<M8[ns]", ">m8[D]", "f8",
		"|O", "<f16", "<c8", "|S0", "<U0", "<M8", "<M8[25s]", "|V8", "", "int32", "|S9223372036854775807", "|S4611686018427387904", "<U4611686018427387904", "|S2147483647"}
	jsonKeys   = []string{"name", "dtype", "encoding", "nullable", "x", "", "zz"}
	jsonTokens = []string{"{", "}", "[", "]", ",", ":", `"`, `\`, `\u`, "null", "1e999", "-", "0", `"columns"`, `"dtype"`, "\x00", "\xff", "é", "[[[[[[[[[[[[[[[[", `{"":{"":{"":{"":`, "9999999999"}
)

// manifest writes another manifest: columns, members and values go, come, or change places. The checksum is right, the
// records have the rows they had in as many bytes as they take, and the footer follows, where that can be.
func (m *mutator) manifest(base *image) {
	columns := make([][]jsonMember, 0, 24)
	for _, f := range base.schema.All() {
		columns = append(columns, jsonColumn(f.Name, f.Type.String()))
	}
	for range 1 + m.r.IntN(3) {
		columns = m.column(columns)
	}
	space := ""
	if m.chance(50) {
		space = " "
	}
	text, sum := append(m.spare[:0], `{"format_version": 1,`...), append(make([]byte, 0, 1024), `{"columns": [`...)
	text = append(text, `"columns":[`...)
	for i, c := range columns {
		if i > 0 {
			text, sum = append(text, ','), append(sum, ", "...)
		}
		text = append(text, '{')
		for j, p := range c {
			if j > 0 {
				text = append(text, ","+space...)
			}
			text = append(append(append(appendQuoted(text, p.key), ':'), space...), p.raw...)
		}
		text = append(text, "}"+space...)
		sum = appendColumn(sum, c)
	}
	sum = append(sum, "]}"...)
	text = append(text, ']')
	switch crc := crc32.ChecksumIEEE(sum); {
	case m.chance(5):
		text = append(text, `,"manifest_crc32": 1`...)
	case m.chance(90):
		text = append(binaryDecimal(append(text, `,"manifest_crc32": `...), uint64(crc)), space...)
	}
	text = append(text, '}')
	m.spare = text
	m.replaceManifest(text)
	if m.chance(70) {
		m.refill(base, columns)
	}
}

func jsonColumn(name, code string) []jsonMember {
	return []jsonMember{{"name", string(appendQuoted(nil, name)), ""}, {"dtype", string(appendQuoted(nil, code)), ""}, {"encoding", `"raw"`, ""}, {"nullable", "false", ""}}
}

func binaryDecimal(dst []byte, v uint64) []byte {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			return append(dst, b[i:]...)
		}
	}
}

// column changes something of the columns.
func (m *mutator) column(columns [][]jsonMember) [][]jsonMember {
	if len(columns) == 0 {
		return columns
	}
	i := m.r.IntN(len(columns))
	c := columns[i]
	switch m.r.IntN(8) {
	case 0, 1:
		c[min(1, len(c)-1)].raw = string(appendQuoted(nil, jsonCodes[m.r.IntN(len(jsonCodes))]))
	case 2:
		c[0].raw = string(appendQuoted(nil, []string{"", "é\x7f\"", "😀", "a", "b"}[m.r.IntN(5)]))
	case 3:
		if c = append(c, jsonValues[m.r.IntN(len(jsonValues))]); len(c) < 12 {
			c[len(c)-1].key = jsonKeys[m.r.IntN(len(jsonKeys))]
			columns[i] = c
		}
	case 4:
		if j := m.r.IntN(len(c)); len(c) > 1 {
			columns[i] = slices.Delete(c, j, j+1)
		}
	case 5:
		for range 1 + m.r.IntN(12) {
			columns = append(columns, jsonColumn(string(rune('a'+len(columns))), jsonCodes[m.r.IntN(12)]))
		}
	case 6:
		columns = slices.Delete(columns, i, i+1)
	default:
		a, b := m.r.IntN(len(c)), m.r.IntN(len(c))
		c[a], c[b] = c[b], c[a]
	}
	return columns
}

// appendColumn prints a column for the checksum.
func appendColumn(dst []byte, c []jsonMember) []byte {
	var sorted [16]jsonMember
	members := append(sorted[:0], c...)
	slices.SortStableFunc(members, func(a, b jsonMember) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	dst = append(dst, '{')
	first := true
	for i, p := range members {
		if i+1 < len(members) && members[i+1].key == p.key {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = append(appendQuoted(dst, p.key), ": "...)
		if p.canonical != "" {
			dst = append(dst, p.canonical...)
		} else {
			dst = append(dst, p.raw...)
		}
	}
	return append(dst, '}')
}

// replaceManifest puts a text in the place of the manifest; what follows moves.
func (m *mutator) replaceManifest(text []byte) {
	if len(m.buf) < manifestAt {
		return
	}
	old := m.get(manifestLenAt)
	if old < 0 || old > int64(len(m.buf)-manifestAt) {
		old = 0
	}
	tail := append([]byte(nil), m.buf[min(int64(len(m.buf)), align(manifestAt+old, dataAlign)):]...)
	m.buf = append(m.buf[:manifestAt], text...)
	for len(m.buf)%dataAlign != 0 {
		m.buf = append(m.buf, 0)
	}
	m.buf = append(m.buf, tail...)
	if m.chance(5) {
		m.put(manifestLenAt, uint64(m.number(int64(len(text)), &m.images[0])), 8)
	} else {
		m.put(manifestLenAt, uint64(len(text)), 8)
	}
}

// refill writes records of as many rows as the base has after a manifest of its own, if the columns can be told, and a
// footer if it has one.
func (m *mutator) refill(base *image, columns [][]jsonMember) {
	fields := make([]colstore.Field, 0, 24)
	for i, c := range columns {
		for _, p := range c {
			if p.key == "dtype" && len(p.raw) > 2 {
				if t, err := colstore.ParseCode(p.raw[1 : len(p.raw)-1]); err == nil && t.Size() < 1000 {
					fields = append(fields, colstore.Field{Name: string(rune('A' + i)), Type: t})
				}
				break
			}
		}
	}
	s, err := colstore.NewSchema(fields...)
	length := m.get(manifestLenAt)
	if err != nil || s.Len() != len(columns) || len(m.buf) < manifestAt || length < 0 || length > int64(len(m.buf)) {
		return
	}
	m.buf = m.buf[:min(int64(len(m.buf)), align(manifestAt+length, dataAlign))]
	for i, rows := range base.rows {
		at := len(m.buf)
		m.buf = append(m.buf, recordMagic...)
		m.buf = append(m.buf, make([]byte, recordHeaderSize-len(recordMagic))...)
		m.put(at+4, uint64(i), 8)
		m.put(at+12, uint64(rows), 8)
		m.seal(at, recordCRC)
		body, _ := bodySize(rows, s.RowBytes())
		m.buf = append(m.buf, make([]byte, body)...)
	}
	m.put(countersAt, uint64(len(base.rows)), 8)
	m.put(countersAt+8, uint64(sumOf(base.rows)), 8)
	if m.get(countersAt+16) != 0 {
		m.put(countersAt+16, uint64(len(m.buf)), 8)
		at := len(m.buf)
		m.buf = appendStatsHeader(m.buf, base.schema, len(base.rows))
		m.buf = append(m.buf, make([]byte, (2*s.RowBytes()+s.Len())*len(base.rows)+4)...)
		m.seal(at, len(m.buf)-at-4)
	}
	m.seal(countersAt, countersCRC)
}

// manifestText damages the text of the manifest, whose checksum it mostly takes away.
func (m *mutator) manifestText() {
	length := m.get(manifestLenAt)
	if length <= 0 || length > int64(len(m.buf)-manifestAt) {
		return
	}
	text := append(make([]byte, 0, 2*length+64), m.buf[manifestAt:manifestAt+length]...)
	if at := lastDigits(text); at > 0 && m.chance(80) {
		text = append(text[:at], "null}"...)
	}
	for range 1 + m.r.IntN(3) {
		at := m.r.IntN(len(text) + 1)
		switch m.r.IntN(4) {
		case 0:
			if at < len(text) {
				text[at] ^= 1 << m.r.IntN(8)
			}
		case 1:
			text = slices.Insert(text, at, []byte(jsonTokens[m.r.IntN(len(jsonTokens))])...)
		case 2:
			text = slices.Delete(text, at, min(len(text), at+1+m.r.IntN(12)))
		default:
			end := min(len(text), at+1+m.r.IntN(40))
			text = slices.Insert(text, at, append([]byte(nil), text[at:end]...)...)
		}
		if len(text) == 0 {
			break
		}
	}
	m.replaceManifest(text)
}

// lastDigits returns where the number before the last brace begins, 0 if there is none.
func lastDigits(text []byte) int {
	at := len(text) - 1
	if at < 0 || text[at] != '}' {
		return 0
	}
	for at > 0 && text[at-1] >= '0' && text[at-1] <= '9' {
		at--
	}
	return at
}
