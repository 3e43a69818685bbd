package root_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// all reads every column of a file, lists and arrays too, and returns the rows as text.
func all(path string) (string, error) {
	b, _, err := readTable(path, reading{jagged: "explode"})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i, f := range b.Schema().All() {
		out.WriteString(f.Name + " ")
		for _, v := range raw(b, i) {
			out.WriteByte("0123456789abcdef"[v>>4])
			out.WriteByte("0123456789abcdef"[v&15])
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}

const goodRows = `x 01000000feffffff030000000400000005000000
n 0100000000000000020000000200000001000000
v_0 0a00000014001e002800
v_1 0000000015001f000000
v_n 01000000000000000000000000000000020000000000000002000000000000000100000000000000
`

// The file that the other tests damage is right, in every form.
func TestHandmade(t *testing.T) {
	for name, change := range map[string]func(m *madeFile, t *madeTree){
		"plain":         func(*madeFile, *madeTree) {},
		"big":           func(m *madeFile, _ *madeTree) { m.isBig = true },
		"directory":     func(m *madeFile, _ *madeTree) { m.inDir = "d" },
		"big directory": func(m *madeFile, _ *madeTree) { m.inDir, m.isBig = "d", true },
		"packed tree":   func(_ *madeFile, t *madeTree) { t.codec = "zstd" },
		"TNtuple":       func(_ *madeFile, t *madeTree) { t.class = "TNtuple" },
		"version 5":     func(_ *madeFile, t *madeTree) { t.version = 5 },
		"branches of version 8": func(_ *madeFile, t *madeTree) {
			for _, b := range t.branches {
				b.version = 8
			}
		},
		"bits of baskets": func(_ *madeFile, t *madeTree) {
			for _, b := range t.branches {
				for _, k := range b.baskets {
					k.newBits = true
				}
			}
		},
		"no offsets": func(_ *madeFile, t *madeTree) {
			for _, k := range t.branches[2].baskets {
				k.offsets = nil
			}
		},
		"no counter": func(_ *madeFile, t *madeTree) {
			t.branches[2].leaves[0].countTag = 2 // an object that is not there
		},
		"counter comes later": func(_ *madeFile, t *madeTree) {
			t.branches = []*madeBranch{t.branches[0], t.branches[2], t.branches[1]}
		},
		"baskets in the tree": func(_ *madeFile, t *madeTree) {
			for _, b := range t.branches {
				b.baskets, b.inner = b.baskets[:1], b.baskets[1:]
			}
		},
		"an older cycle": func(m *madeFile, t *madeTree) {
			_, old := good()
			old.branches = old.branches[:1]
			t.cycle = -2
			m.trees = []*madeTree{t, old}
		},
		// The list of free gaps is at the end of a file, and is not needed.
		"cut end": func(m *madeFile, _ *madeTree) { m.cut = func(raw []byte) []byte { return append(raw, 0, 0, 0) } },
	} {
		t.Run(name, func(t *testing.T) {
			for _, codec := range []string{"", "zlib", "lz4", "zstd", "xz"} {
				m, tree := good()
				for _, b := range tree.branches {
					for _, k := range b.baskets {
						if name != "baskets in the tree" {
							k.codec = codec
						}
					}
				}
				change(m, tree)
				got, err := all(m.write(t))
				want := goodRows
				if name == "counter comes later" {
					lines := strings.SplitAfter(goodRows, "\n")
					want = lines[0] + lines[2] + lines[3] + lines[4] + lines[1]
				}
				if err != nil || got != want {
					t.Errorf("%s: %v\n%s", codec, err, cmp.Diff(want, got))
				}
			}
		})
	}
}

// One wrong thing in a good file is one error, which says where it is.
func TestDamage(t *testing.T) {
	type change = func(m *madeFile, t *madeTree)
	basket := func(codec string, f func(k *madeBasket)) change {
		return func(_ *madeFile, t *madeTree) {
			t.branches[0].baskets[1].codec = codec
			f(t.branches[0].baskets[1])
		}
	}
	head := func(f func(h *madeHead)) change {
		return basket("", func(k *madeBasket) { k.head = f })
	}
	block := func(codec string, f func(b []byte)) change {
		return basket(codec, func(k *madeBasket) { k.blocks = func(b []byte) []byte { f(b); return b } })
	}
	table := func(f func(t *madeTable)) change {
		return func(_ *madeFile, t *madeTree) { t.branches[0].table = f }
	}
	leaf := func(f func(l *madeLeaf)) change {
		return func(_ *madeFile, t *madeTree) { f(t.branches[0].leaves[0]) }
	}
	list := func(f func(k *madeBasket)) change {
		return func(_ *madeFile, t *madeTree) { f(t.branches[2].baskets[0]) }
	}
	keys := func(f func(k *madeKeys)) change {
		return func(m *madeFile, _ *madeTree) { m.keys = f }
	}
	key := func(f func(k *madeKey)) change {
		return func(_ *madeFile, t *madeTree) { t.key = f }
	}
	cut := func(f func(raw []byte) []byte) change {
		return func(m *madeFile, _ *madeTree) { m.cut = f }
	}
	for name, c := range map[string]struct {
		change change
		want   string
	}{
		"1 empty":            {cut(func([]byte) []byte { return nil }), "the file is empty"},
		"2 magic":            {func(m *madeFile, _ *madeTree) { m.magic = "roob" }, "this is no ROOT file"},
		"3 cut header":       {cut(func(b []byte) []byte { return b[:30] }), "it ends in its header"},
		"4 cut in half":      {cut(func(b []byte) []byte { return b[:len(b)/2] }), "are needed, the file has"},
		"6 key seek":         {key(func(k *madeKey) { k.seek = 1 << 30 }), `the object "t"`},
		"7 key object":       {key(func(k *madeKey) { k.objectBytes = math.MaxInt32 }), "cannot become"},
		"8 key bytes":        {key(func(k *madeKey) { k.bytes = -5 }), `the key of "t"`},
		"9 key length":       {key(func(k *madeKey) { k.keyBytes = 0 }), `the key of "t"`},
		"10 key at itself":   {key(func(k *madeKey) { k.seek = 100 }), `tree "t"`},
		"11 many keys":       {keys(func(k *madeKeys) { k.count = math.MaxInt32 }), "a list of 2147483647 keys"},
		"12 fewer than none": {keys(func(k *madeKeys) { k.count = -1 }), "a list of -1 keys"},
		"13 directory loop":  {func(m *madeFile, _ *madeTree) { m.inDir, m.dirIsSelf = "d", true }, "is in itself"},
		"14 block size":      {block("zlib", func(b []byte) { copy(b[6:], "\xff\xff\xff") }), "a block of"},
		"15 block packed":    {block("zlib", func(b []byte) { copy(b[3:], "\xff\xff\xff") }), "a block of"},
		"16 codec":           {block("zlib", func(b []byte) { copy(b, "QQ") }), `the unknown compression "QQ"`},
		"16 old codec":       {block("zlib", func(b []byte) { copy(b, "CS") }), "before 2002"},
		"17 flip zlib":       {block("zlib", func(b []byte) { b[len(b)-5] ^= 1 }), "zlib data of a block are damaged"},
		"17 flip lz4":        {block("lz4", func(b []byte) { b[len(b)-1] ^= 1 }), "checksum mismatch"},
		"17 flip zstd":       {block("zstd", func(b []byte) { b[len(b)-1] ^= 1 }), "zstd data of a block are damaged"},
		"17 flip xz":         {block("xz", func(b []byte) { b[36] ^= 1 }), "xz data of a block are damaged"},
		"18 entries":         {head(func(h *madeHead) { h.entries = math.MaxInt32 }), "declares 2147483647 entries"},
		"19 last":            {head(func(h *madeHead) { h.last = math.MaxInt32 }), "bytes of values"},
		"20 key length":      {head(func(h *madeHead) { h.keyBytes = -20 }), "has a key of -20"},
		"20 short key":       {head(func(h *madeHead) { h.keyBytes -= 20 }), "are needed at offset"},
		"21 object":          {head(func(h *madeHead) { h.objectBytes = 0 }), "bytes of values in 0"},
		"class of basket":    {head(func(h *madeHead) { h.class = "TBasked" }), `class "TBasked"`},
		"version of basket":  {head(func(h *madeHead) { h.version = 9 }), "a basket of version 9"},
		"22 seek":            {table(func(t *madeTable) { t.seeks[1] = 1 << 40 }), "basket 1"},
		"22 seek below":      {table(func(t *madeTable) { t.seeks[1] = -8 }), "basket 1"},
		"23 bytes":           {table(func(t *madeTable) { t.bytes[1] = math.MaxInt32 }), "basket 1"},
		"23 bytes below":     {table(func(t *madeTable) { t.bytes[1] = -1 }), "basket 1"},
		"24 entries of tree": {func(_ *madeFile, t *madeTree) { t.entries = 1 << 60 }, "it has 5 entries, the tree has 1152921504606846976"},
		"24 more":            {func(_ *madeFile, t *madeTree) { t.entries = 1<<60 + 1 }, "the tree has 1152921504606846977 entries"},
		"24 entries below":   {func(_ *madeFile, t *madeTree) { t.entries = -3 }, "the tree has -3 entries"},
		"24 fewer":           {func(_ *madeFile, t *madeTree) { t.entries = 4 }, "the tree has 4"},
		"25 most":            {table(func(t *madeTable) { t.most = math.MaxInt32 }), "a table of 2147483647 values"},
		"25 most below":      {table(func(t *madeTable) { t.most = -1 }), "a table of -1 values"},
		"26 written":         {table(func(t *madeTable) { t.written = -7 }), `branch "x" has -7 baskets`},
		"26 written above":   {table(func(t *madeTable) { t.written = t.most + 1 }), `branch "x" has 4 baskets in tables of 3`},
		"first entry":        {table(func(t *madeTable) { t.firsts[0] = 1 }), "basket 0 has entries 1 to 3"},
		"entries decrease":   {table(func(t *madeTable) { t.firsts[1] = -1 }), "basket 0 has entries 0 to -1"},
		"same basket":        {table(func(t *madeTable) { t.seeks[1] = t.seeks[0] }), "declares"},
		"27 decreasing":      {list(func(k *madeBasket) { k.offsets[2] = -2 }), "entry 1 lies from"},
		"27 beyond":          {list(func(k *madeBasket) { k.offsets[2] = 400 }), "entry 1 lies from"},
		"27 odd":             {list(func(k *madeBasket) { k.offsets[1] = 1 }), "entry 0 lies from"},
		"27 table":           {list(func(k *madeBasket) { k.offsets = k.offsets[:2] }), "a table of 2 offsets for 3 entries"},
		"28 self":            {func(_ *madeFile, t *madeTree) { t.payload = selfReference }, "tree \"t\""},
		"29 size 0":          {leaf(func(l *madeLeaf) { l.size = 0 }), "leaf \"x\" declares 0"},
		"29 size 3":          {leaf(func(l *madeLeaf) { l.size = 3 }), "leaf \"x\" declares 3"},
		"29 size 2^30":       {leaf(func(l *madeLeaf) { l.size = 1 << 30 }), "leaf \"x\" declares 1073741824"},
		"29 length 0":        {leaf(func(l *madeLeaf) { l.len = 0 }), "declares 0 values an entry"},
		"29 length -1":       {leaf(func(l *madeLeaf) { l.len = -1 }), "declares -1 values an entry"},
		"29 length 2^30":     {leaf(func(l *madeLeaf) { l.len = 1 << 30 }), "declares 1073741824 values an entry"},
		"30 counter":         {func(_ *madeFile, t *madeTree) { copy(t.branches[1].baskets[0].values, be(4, 0, 1)) }, "its counter"},
		"30 only counter": {func(_ *madeFile, t *madeTree) {
			t.branches[2].baskets[0].offsets = nil
			copy(t.branches[1].baskets[0].values, be(4, -1, 1))
		}, "its counter"},
		"30 too many": {func(_ *madeFile, t *madeTree) {
			t.branches[2].baskets[0].offsets = nil
			copy(t.branches[1].baskets[0].values, be(4, 2000))
		}, "its counter"},
		"31 alike":    {func(_ *madeFile, t *madeTree) { t.branches[1].name = "x" }, "two leaves have this name"},
		"31 list":     {func(_ *madeFile, t *madeTree) { t.branches[0].name = "v_0" }, `column "v_0" and the list "v" are both read as a column of this name`},
		"other file":  {func(_ *madeFile, t *madeTree) { t.branches[0].file = "b.root" }, `another file, "b.root"`},
		"version":     {func(_ *madeFile, t *madeTree) { t.version = 21 }, "a tree of version 21"},
		"old version": {func(_ *madeFile, t *madeTree) { t.version = 15 }, "a tree of version 15"},
		"deep":        {func(_ *madeFile, t *madeTree) { t.branches[0].below = deep(70) }, "objects nest deeper than 64"},
		"inner basket": {func(_ *madeFile, t *madeTree) {
			b := t.branches[0]
			b.inner, b.baskets = []*madeBasket{{rows: 2, values: be(2, 4)}}, b.baskets[:1]
		}, "a basket of 2 entries of 4 bytes has 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, tree := good()
			c.change(m, tree)
			path := m.write(t)
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			begin := time.Now()
			got, err := all(path)
			goruntime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q; %s", err, c.want, got)
			}
			checkHostile(t, err, path)
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("took %s", d)
			}
			t.Logf("%v", err)
		})
	}
}

// selfReference makes the array of branches refer to itself where the first branch is.
func selfReference(b []byte) []byte {
	at := strings.Index(string(b), "\xff\xff\xff\xffTBranch\x00") - 4
	copy(b[at:], be(4, int64(at+treeKeyBytes+2)))
	return b
}

func deep(n int) []*madeBranch {
	if n == 0 {
		return nil
	}
	return []*madeBranch{{class: "TBranch", name: "b", below: deep(n - 1)}}
}

// readHostile reads everything that bytes which may be no file of ROOT have to give. Errors are fine, but must name the
// file and be one of those that bad input has.
func readHostile(tb testing.TB, path string) {
	tb.Helper()
	for _, jagged := range []string{"skip", "explode", "pad=3"} {
		f, err := openFile(path, reading{jagged: jagged})
		if err != nil {
			checkHostile(tb, err, path)
			return
		}
		names := f.Names()
		if len(names) > 50 {
			names = names[:50]
		}
		for _, n := range names {
			src, err := f.Source(tb.Context(), format.Projection{Columns: []string{n}})
			if err != nil {
				checkHostile(tb, err, path)
				continue
			}
			src.(colstore.Coster).Cost(nil)
			src.(colstore.Splitter).Splits(1 << 20)
			rows := int64(0)
			failed := false
			for b, err := range src.Scan(tb.Context(), colstore.Scan{Threads: 1 + len(n)%2, BatchRows: min(1<<16, 1<<22/max(1, src.Schema().RowBytes())+1)}) {
				if failed = err != nil; failed {
					checkHostile(tb, err, path)
					break
				}
				if rows += int64(b.Rows()); rows > 1<<22 {
					failed = true // a file may well say nothing a billion times
					break
				}
			}
			if !failed && rows != src.Rows() {
				tb.Errorf("column %q has %d rows, %d were read", n, src.Rows(), rows)
			}
		}
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	}
}

func checkHostile(tb testing.TB, err error, path string) {
	tb.Helper()
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || e.Path != path {
		tb.Errorf("the error does not name the file: %v", err)
	}
	if strings.Contains(err.Error(), "decoding failed") {
		tb.Errorf("a panic below: %v", err)
	}
	for _, want := range []error{colstore.ErrFormat, colstore.ErrType, colstore.ErrValue, colstore.ErrDuplicate, colstore.ErrNoColumn, colstore.ErrOption} {
		if errors.Is(err, want) {
			return
		}
	}
	tb.Errorf("an error of no kind: %v", err)
}

// intact returns files of several writers.
func intact(tb testing.TB) (files [][]byte) {
	tb.Helper()
	for _, f := range golden.LoadForeign(tb, "root") {
		files = append(files, golden.Bytes(tb, "foreign/"+f.File))
	}
	own, err := filepath.Glob("testdata/*.root")
	if err != nil || len(own) != 7 {
		tb.Fatalf("%d files: %v", len(own), err)
	}
	for _, path := range own {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, data)
	}
	for _, codec := range []string{"", "zlib", "lz4", "zstd", "xz"} {
		for range 3 { // they are small, so that more of what is damaged matters
			m, t := good()
			for _, b := range t.branches {
				for _, k := range b.baskets {
					k.codec = codec
				}
			}
			files = append(files, m.bytes())
		}
	}
	return files
}

// mutate damages bytes of a file.
func mutate(raw []byte, r *rand.Rand) []byte {
	out := append([]byte(nil), raw...)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(out))
		switch r.IntN(6) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = byte(r.Uint32())
		case 2:
			copy(out[at:], []byte{0x7f, 0xff, 0xff, 0xff, 0xff})
		case 3:
			copy(out[at:], out[r.IntN(len(out)):])
		case 4:
			clear(out[at:min(len(out), at+r.IntN(30))])
		case 5:
			n := min(r.IntN(20), len(out)-at)
			out = append(out[:at], out[at+n:]...)
			if len(out) < 12 {
				return out
			}
		}
	}
	return out
}

// Damaged files are errors or other values, never a panic, a hang, or memory out of proportion.
func TestDamagedFiles(t *testing.T) {
	const each, most = 40, 100 << 20
	path := filepath.Join(t.TempDir(), "damaged.root")
	worst := uint64(0)
	for i, raw := range intact(t) {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for k := range each {
			if err := os.WriteFile(path, mutate(raw, r), 0o666); err != nil {
				t.Fatal(err)
			}
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			begin := time.Now()
			readHostile(t, path)
			goruntime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%d MiB allocated", n>>20)
			} else {
				worst = max(worst, n)
			}
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("took %s", d)
			}
			if t.Failed() {
				t.Fatalf("file %d, damage %d", i, k)
			}
		}
	}
	t.Logf("at most %d MiB allocated", worst>>20)
}

// Every prefix of a file is refused: its keys are at the end.
func TestCutFiles(t *testing.T) {
	m, _ := good()
	raw := m.bytes()
	path := filepath.Join(t.TempDir(), "cut.root")
	for n := range raw {
		if err := os.WriteFile(path, raw[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(path, reading{}); !errors.Is(err, colstore.ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(raw), err)
		}
	}
}

// FuzzRead reads any bytes as a file: they are refused, or every row of every column can be read or is refused.
func FuzzRead(f *testing.F) {
	for _, raw := range intact(f) {
		if len(raw) < 9000 {
			f.Add(raw)
		}
	}
	path := filepath.Join(f.TempDir(), "fuzz.root")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		readHostile(t, path)
	})
}
