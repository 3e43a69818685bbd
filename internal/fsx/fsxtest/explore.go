package fsxtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// Exploring says which images of a log are made.
type Exploring struct {
	From    int // the first crash is after this many operations, see Mark
	Random  int // images of random choices a crash, beside the classes
	Seed    uint64
	Workers int // goroutines; 0 is 1
	Next    int // a scenario's next writer goes on in one of so many images; 0 is 61
	// LinkRename is that of the disk a scenario is played on.
	LinkRename bool
	// Seen is shared by explorations whose images are to be told apart; nil is a new one.
	Seen *Seen
}

// Counted is how much was explored.
type Counted struct {
	Crashes  int // operations after which the power went
	Images   int // that were made
	Distinct int // of them that differ in a name, a byte or the number of promises; each of these was checked
}

// Add adds counts up.
func (c *Counted) Add(o Counted) {
	c.Crashes += o.Crashes
	c.Images += o.Images
	c.Distinct += o.Distinct
}

// Seen knows which images there were.
type Seen struct {
	shards [64]struct {
		sync.Mutex
		set map[uint64]struct{}
	}
}

// add reports whether the image is new.
func (s *Seen) add(h uint64) bool {
	p := &s.shards[h>>58]
	p.Lock()
	defer p.Unlock()
	if p.set == nil {
		p.set = map[uint64]struct{}{}
	}
	n := len(p.set)
	p.set[h] = struct{}{}
	return len(p.set) > n
}

// Explore lets the power go after each operation of the log, and hands every image that such a crash may leave, as the
// package documentation has it, to check: those of all classes of what is on the disk, and random ones. It ends with the
// first error, which says which crash it was. check is called from o.Workers goroutines.
func (d *Disk) Explore(o Exploring, check func(i *Image) error) (Counted, error) {
	d.mu.Lock()
	log, nodes := d.log, d.nodes
	d.mu.Unlock()
	workers := max(1, o.Workers)
	if o.Seen == nil {
		o.Seen = new(Seen)
	}
	counts, errs := make([]Counted, workers), make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			c := newCrash(nodes)
			x := &explorer{o: o, check: check, memo: map[memoKey]verdict{}, rand: rand.New(rand.NewPCG(o.Seed, uint64(w)))}
			for at := range log {
				c.apply(&log[at])
				if c.at >= o.From && c.at%workers == w && errs[w] == nil {
					errs[w] = x.crash(c)
				}
			}
			counts[w] = x.counted
		})
	}
	wg.Wait()
	var total Counted
	for _, c := range counts {
		total.Add(c)
	}
	for _, err := range errs {
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// explorer makes the images of one goroutine.
type explorer struct {
	o       Exploring
	check   func(*Image) error
	memo    map[memoKey]verdict
	rand    *rand.Rand
	counted Counted
	buf     []byte

	image *Image
	units []unit
	err   error
}

// A choice says which value of a unit is on the disk: 0 is the durable one.
type choice func(u *unit) int

func none(*unit) int { return 0 }

func all(u *unit) int { return len(u.at) - 1 }

// before is the last value that an operation before at gave.
func before(at int) choice {
	return func(u *unit) int {
		v := len(u.at) - 1
		for v > 0 && u.at[v] >= at {
			v--
		}
		return v
	}
}

// since is the last value if an operation from at on gave it.
func since(at int) choice {
	return func(u *unit) int {
		if v := len(u.at) - 1; u.at[v] >= at {
			return v
		}
		return 0
	}
}

// mixed takes sectors, sizes and names from different choices.
func mixed(sectors, sizes, names choice) choice {
	return func(u *unit) int {
		switch u.sector {
		case unitNames:
			return names(u)
		case unitSize:
			return sizes(u)
		}
		return sectors(u)
	}
}

// crash makes the images of one crash.
func (x *explorer) crash(c *crash) error {
	x.counted.Crashes++
	x.image, x.units, x.err = newImage(c, x.memo, x.buf), c.units(), nil
	x.classes(c)
	// Of few units the classes leave little.
	for n := range min(x.o.Random, 4<<min(len(x.units), 32)) {
		if x.err != nil {
			break
		}
		p := []float64{0.1, 0.5, 0.9}[n%3]
		x.emit("random", func(u *unit) int {
			if x.rand.Float64() >= p {
				return 0
			}
			return 1 + x.rand.IntN(len(u.at)-1)
		})
	}
	x.buf = x.image.buf
	return x.err
}

// mostSingles bounds how many sectors, sizes and names are looked at one by one in one crash, and how many operations.
// Others are in the next crash.
const mostSingles = 64

// classes makes the images that are not random. Everything, or nothing, of what is not durable, by sectors, sizes and
// names; each thing alone, or all but it; the log's beginning or end; a write torn; the first sector of files, where
// counters are, against the others.
func (x *explorer) classes(c *crash) {
	ends := []choice{none, all}
	for _, sectors := range ends {
		for _, sizes := range ends {
			for _, names := range ends {
				x.emit("all or none by kind", mixed(sectors, sizes, names))
			}
		}
	}
	for _, rest := range ends {
		for _, names := range ends {
			first := func(u *unit) int {
				if u.sector == 0 {
					return all(u)
				}
				return rest(u)
			}
			others := func(u *unit) int {
				if u.sector == 0 {
					return 0
				}
				return all(u)
			}
			x.emit("first sectors", mixed(first, rest, names))
			x.emit("first sectors and sizes", mixed(first, all, names))
			x.emit("all but first sectors", mixed(others, all, names))
		}
	}
	step := 1 + len(x.units)/mostSingles
	for n := c.at % step; n < len(x.units); n += step {
		one := &x.units[n]
		for v := range len(one.at) {
			only := func(other choice) choice {
				return func(u *unit) int {
					if u == one {
						return v
					}
					return other(u)
				}
			}
			x.emit("one differs from all", only(all))
			x.emit("one differs from none", only(none))
			x.emit("one differs from none, names are there", only(mixed(none, none, all)))
			x.emit("one differs from none, names and sizes are there", only(mixed(none, all, all)))
		}
	}
	operations := x.operations()
	step = 1 + len(operations)/mostSingles
	for n := c.at % step; n < len(operations); n += step {
		at := operations[n]
		for _, names := range []choice{before(at), none, all} {
			x.emit("what came before an operation", mixed(before(at), before(at), names))
			x.emit("what came before an operation, sizes are there", mixed(before(at), all, names))
		}
		for _, names := range []choice{since(at), none, all} {
			x.emit("what came since an operation", mixed(since(at), since(at), names))
			x.emit("what came since an operation, sizes are there", mixed(since(at), all, names))
		}
	}
	for node, f := range c.files {
		if f == nil {
			continue
		}
		for _, w := range f.writes {
			x.torn(node, w)
		}
	}
}

// operations returns the operations that gave a value which is not durable.
func (x *explorer) operations() []int {
	var out []int
	for _, u := range x.units {
		out = append(out, u.at[1:]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// torn makes images in which a write reached the disk in part.
func (x *explorer) torn(node int, w write) {
	half := (w.first + w.end) / 2
	for _, part := range []struct {
		class   string
		written func(s int) bool
	}{
		{"the first half of a write", func(s int) bool { return s < half }},
		{"the second half of a write", func(s int) bool { return s >= half }},
		{"every other sector of a write", func(s int) bool { return s%2 == 0 }},
	} {
		for _, rest := range []choice{before(w.at), all} {
			tear := func(u *unit) int {
				if u.node != node || u.sector < w.first || u.sector >= w.end {
					return rest(u)
				}
				if part.written(u.sector) {
					return before(w.at + 1)(u)
				}
				return before(w.at)(u)
			}
			for _, names := range []choice{rest, all} {
				x.emit(part.class, mixed(tear, all, names))
			}
		}
	}
}

// emit makes one image, and one with garbage where that is another.
func (x *explorer) emit(class string, choose choice) {
	if x.err != nil {
		return
	}
	i := x.image
	i.class, i.garbage = class, false
	unwritten := false
	for n := range x.units {
		u := &x.units[n]
		v := choose(u)
		i.choose(u, uint16(v))
		if u.sector >= 0 {
			values := i.c.files[u.node].sectors[u.sector]
			unwritten = unwritten || values[v].data == nil && values[len(values)-1].data != nil
		}
	}
	i.settle()
	x.look()
	if unwritten {
		i.garbage = true
		x.look()
	}
}

func (x *explorer) look() {
	if x.err != nil {
		return
	}
	x.counted.Images++
	if !x.o.Seen.add(x.image.hash() ^ mix(uint64(x.image.c.promised)+99)) {
		return
	}
	x.counted.Distinct++
	if err := x.check(x.image); err != nil {
		x.err = fmt.Errorf("%v: %w", x.image, err)
	}
}
