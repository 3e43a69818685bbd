package meta

// A Page is the header of a page. Fields that its type does not have are zero.
type Page struct {
	Type         PageType
	Size         int32 // bytes once decompressed
	Compressed   int32 // bytes in the file
	CRC          uint32
	HasCRC       bool
	Values       int32 // nulls included; entries of a dictionary
	Encoding     Encoding
	Levels       Encoding // of the definition levels; version 1
	Repeats      Encoding // of the repetition levels; version 1
	Nulls        int32    // version 2
	Rows         int32    // version 2
	LevelBytes   int32    // of the definition levels; version 2
	RepeatBytes  int32    // of the repetition levels; version 2
	Uncompressed bool     // the values are not compressed whatever the codec; version 2
}

// ParsePage reads the page header at the start of b and returns its size. short tells that b ends inside it, so that
// more bytes may help.
//
// Errors: colstore.ErrFormat.
func ParsePage(b []byte) (p Page, size int, short bool, err error) {
	r := &reader{b: b}
	var seen uint64
	r.fields(func(id int16, t wire) {
		seen |= 1 << (id & 63)
		switch id {
		case 1:
			p.Type = PageType(min(uint32(r.i32(t)), 127))
		case 2:
			p.Size = r.i32(t)
		case 3:
			p.Compressed = r.i32(t)
		case 4:
			p.CRC, p.HasCRC = uint32(r.i32(t)), true
		case 5:
			r.dataPage(&p, t)
		case 7:
			r.dictionaryPage(&p, t)
		case 8:
			r.dataPageV2(&p, t)
		default:
			r.skip(t)
		}
	})
	if r.err == nil {
		need := uint64(1<<1 | 1<<2 | 1<<3)
		switch p.Type {
		case DataPage:
			need |= 1 << 5
		case DictionaryPage:
			need |= 1 << 7
		case DataPageV2:
			need |= 1 << 8
		}
		if seen&need != need {
			r.fail("a page header lacks a required field")
		} else if p.Size < 0 || p.Compressed < 0 || p.Values < 0 || p.Nulls < 0 || p.LevelBytes < 0 || p.RepeatBytes < 0 {
			r.fail("a page header has a negative size")
		}
	}
	return p, r.pos, r.short, r.err
}

func (r *reader) dataPage(p *Page, t wire) {
	r.structure(t, func(id int16, t wire) {
		switch id {
		case 1:
			p.Values = r.i32(t)
		case 2:
			p.Encoding = encoding(r.i32(t))
		case 3:
			p.Levels = encoding(r.i32(t))
		case 4:
			p.Repeats = encoding(r.i32(t))
		default:
			r.skip(t)
		}
	})
}

func (r *reader) dictionaryPage(p *Page, t wire) {
	r.structure(t, func(id int16, t wire) {
		switch id {
		case 1:
			p.Values = r.i32(t)
		case 2:
			p.Encoding = encoding(r.i32(t))
		default:
			r.skip(t)
		}
	})
}

func (r *reader) dataPageV2(p *Page, t wire) {
	r.structure(t, func(id int16, t wire) {
		switch id {
		case 1:
			p.Values = r.i32(t)
		case 2:
			p.Nulls = r.i32(t)
		case 3:
			p.Rows = r.i32(t)
		case 4:
			p.Encoding = encoding(r.i32(t))
		case 5:
			p.LevelBytes = r.i32(t)
		case 6:
			p.RepeatBytes = r.i32(t)
		case 7:
			p.Uncompressed = !r.bool(t)
		default:
			r.skip(t)
		}
	})
}

// Append appends the header of a dictionary page or a version 1 data page to dst.
func (p *Page) Append(dst []byte) []byte {
	w := &writer{b: dst}
	w.fields(func() {
		w.i32(1, int32(p.Type))
		w.i32(2, p.Size)
		w.i32(3, p.Compressed)
		if p.HasCRC {
			w.i32(4, int32(p.CRC))
		}
		if p.Type == DictionaryPage {
			w.structure(7, func() {
				w.i32(1, p.Values)
				w.i32(2, int32(p.Encoding))
			})
			return
		}
		w.structure(5, func() {
			w.i32(1, p.Values)
			w.i32(2, int32(p.Encoding))
			w.i32(3, int32(RLE))
			w.i32(4, int32(RLE))
		})
	})
	return w.b
}
