package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"slices"

	"go-hep.org/x/hep/groot/rbytes"
	"go-hep.org/x/hep/groot/rcont"
	"go-hep.org/x/hep/groot/rdict"
	"go-hep.org/x/hep/groot/rhist"
	"go-hep.org/x/hep/groot/root"
	hephbook "go-hep.org/x/hep/hbook"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/ops/hbook"
)

// HistKey is the name of the histogram in a ROOT file.
const HistKey = "hist"

// rootClasses are the classes whose layout a file describes: those of a TH1D, or a TH2D, and all that is in it.
var rootClasses = []string{
	"TH1", "TNamed", "TAttLine", "TAttFill", "TAttMarker", "TAxis", "TAttAxis", "TArrayD", "TArray", "THashList", "TList",
	"TSeqCollection", "TCollection",
}

// rootFile returns a ROOT file that holds a histogram as TH1D or TH2D. The objects are written by go-hep; the container
// is ours, since that of go-hep puts the time, a random identifier and the path of the machine into the file.
func rootFile(h *ops.Hist, l Labels) ([]byte, error) {
	obj, err := rootHist(h, l)
	if err != nil {
		return nil, err
	}
	classes := append([]string{obj.Class()}, rootClasses...)
	if h.Is2D() {
		classes = append(classes, "TH2")
	}
	infos := rcont.NewList("", nil)
	for _, name := range classes {
		si, err := rdict.StreamerInfos.StreamerInfo(name, -1)
		if err != nil {
			return nil, fmt.Errorf("the layout of %s: %w", name, err)
		}
		infos.Append(si)
	}
	f := &container{make([]byte, rootBegin)}
	dir := rootKey{class: "TFile", name: fileName}
	f.add(&dir, append(fileNames(), directory(0, 0)...))
	hist := rootKey{class: obj.Class(), name: HistKey, title: l.title(), parent: rootBegin}
	if err := f.addObject(&hist, obj); err != nil {
		return nil, err
	}
	keys := rootKey{class: "TDirectory", name: fileName, parent: rootBegin}
	f.add(&keys, append(binary.BigEndian.AppendUint32(nil, 1), hist.bytes()...))
	list := rootKey{class: infos.Class(), name: "StreamerInfo", title: "Doubly linked list", parent: rootBegin}
	if err := f.addObject(&list, infos); err != nil {
		return nil, err
	}
	// The list of free places has one, behind the end of the file.
	free := rootKey{class: "TFile", name: fileName, parent: rootBegin}
	end := len(f.data) + free.len() + freeBytes
	body := binary.BigEndian.AppendUint16(nil, 1)
	body = binary.BigEndian.AppendUint32(body, uint32(end))
	body = binary.BigEndian.AppendUint32(body, rootMaxEnd)
	f.add(&free, body)

	copy(f.data[rootBegin+nameBytes():], directory(keys.seek, keys.size))
	f.settle(free, list)
	return f.data, nil
}

// rootHist returns the object of a histogram.
func rootHist(h *ops.Hist, l Labels) (root.Object, error) {
	var obj interface {
		root.Object
		Array() rcont.ArrayD
		SumW2s() []float64
	}
	ann := hephbook.Annotation{"name": HistKey, "title": l.title()}
	// In ROOT the sums of a histogram are those of its bins, without the cells outside.
	if h.Is2D() {
		b, err := hbook.H2D(h)
		if err != nil {
			return nil, err
		}
		b.Ann, b.Binning.Dist = ann, hephbook.Dist2D{}
		d := &b.Binning.Dist
		for _, c := range b.Binning.Bins {
			addSums(&d.X, &c.Dist.X)
			addSums(&d.Y, &c.Dist.Y)
			d.Stats.SumWXY += c.Dist.Stats.SumWXY
		}
		d.X.Dist.N = h.Entries
		obj = rhist.NewH2DFrom(b)
	} else {
		b, err := hbook.H1D(h)
		if err != nil {
			return nil, err
		}
		b.Ann, b.Binning.Dist = ann, hephbook.Dist1D{}
		for _, c := range b.Binning.Bins {
			addSums(&b.Binning.Dist, &c.Dist)
		}
		b.Binning.Dist.Dist.N = h.Entries
		obj = rhist.NewH1DFrom(b)
	}
	// Cell by cell: hbook has joined those outside.
	copy(obj.Array().Data, h.SumW)
	copy(obj.SumW2s(), h.SumW2)
	return obj, nil
}

func addSums(to, d *hephbook.Dist1D) {
	to.Dist.SumW += d.Dist.SumW
	to.Dist.SumW2 += d.Dist.SumW2
	to.Stats.SumWX += d.Stats.SumWX
	to.Stats.SumWX2 += d.Stats.SumWX2
}

const (
	rootBegin   = 100   // of the first record
	rootVersion = 62400 // of the layouts
	rootMaxEnd  = 2_000_000_000
	freeBytes   = 10
	fileName    = "hist.root"
)

// rootKey is the head of a record.
type rootKey struct {
	class, name, title string
	parent             int
	seek, size         int // of the record
	object             int // bytes of the object, before compression
}

// tstring is a text as ROOT has it.
func tstring(s string) []byte {
	if len(s) < 255 {
		return append([]byte{byte(len(s))}, s...)
	}
	return append(binary.BigEndian.AppendUint32([]byte{255}, uint32(len(s))), s...)
}

func (k *rootKey) texts() []byte {
	return slices.Concat(tstring(k.class), tstring(k.name), tstring(k.title))
}

func (k *rootKey) len() int { return 26 + len(k.texts()) }

func (k *rootKey) bytes() []byte {
	var b []byte
	b = binary.BigEndian.AppendUint32(b, uint32(k.size))
	b = binary.BigEndian.AppendUint16(b, 4)
	b = binary.BigEndian.AppendUint32(b, uint32(k.object))
	b = binary.BigEndian.AppendUint32(b, rootEpoch)
	b = binary.BigEndian.AppendUint16(b, uint16(k.len()))
	b = binary.BigEndian.AppendUint16(b, 1) // cycle
	b = binary.BigEndian.AppendUint32(b, uint32(k.seek))
	b = binary.BigEndian.AppendUint32(b, uint32(k.parent))
	return append(b, k.texts()...)
}

// rootEpoch is the time of everything: the first day that a TDatime can hold, 1995-01-01.
const rootEpoch = 1<<22 | 1<<17

// container puts records one behind the other.
type container struct{ data []byte }

// add writes a record.
func (f *container) add(k *rootKey, body []byte) {
	k.seek, k.size = len(f.data), k.len()+len(body)
	if k.object == 0 {
		k.object = len(body)
	}
	f.data = append(append(f.data, k.bytes()...), body...)
}

// addObject writes a record of an object, compressed.
func (f *container) addObject(k *rootKey, obj any) error {
	w := rbytes.NewWBuffer(nil, nil, uint32(k.len()), nil)
	if _, err := obj.(rbytes.Marshaler).MarshalROOT(w); err != nil {
		return fmt.Errorf("%w: %s: %w", colstore.ErrValue, k.class, err)
	}
	k.object = len(w.Bytes())
	body, err := deflated(w.Bytes())
	if err != nil {
		return err
	}
	f.add(k, body)
	return nil
}

// rootBlock is the most bytes that are compressed together.
const rootBlock = 0xffffff

// deflated compresses in ROOT's framing: blocks with a head of their sizes. What would not shrink stays as it is.
func deflated(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	for rest := raw; len(rest) > 0; {
		n := min(len(rest), rootBlock)
		var block bytes.Buffer
		z := zlib.NewWriter(&block)
		if _, err := z.Write(rest[:n]); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		if block.Len() > rootBlock {
			return raw, nil
		}
		out.Write([]byte{'Z', 'L', 8})
		out.Write(little24(block.Len()))
		out.Write(little24(n))
		out.Write(block.Bytes())
		rest = rest[n:]
	}
	if out.Len() >= len(raw) {
		return raw, nil
	}
	return out.Bytes(), nil
}

func little24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// directory returns the description of the only directory, whose keys are at seek.
func directory(seek, size int) []byte {
	var b []byte
	b = binary.BigEndian.AppendUint16(b, 5)
	b = binary.BigEndian.AppendUint32(b, rootEpoch)
	b = binary.BigEndian.AppendUint32(b, rootEpoch)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = binary.BigEndian.AppendUint32(b, uint32(nameBytes()))
	b = binary.BigEndian.AppendUint32(b, rootBegin)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(seek))
	return append(b, rootUUID()...)
}

// fileNames are the name and the title of the file.
func fileNames() []byte { return slices.Concat(tstring(fileName), tstring("")) }

// nameBytes is the length of the first record's key and names.
func nameBytes() int {
	k := rootKey{class: "TFile", name: fileName}
	return k.len() + len(fileNames())
}

// rootUUID is an identifier of no file in particular.
func rootUUID() []byte { return append(binary.BigEndian.AppendUint16(nil, 1), make([]byte, 16)...) }

// settle writes the head of the file.
func (f *container) settle(free, infos rootKey) {
	b := []byte("root")
	b = binary.BigEndian.AppendUint32(b, rootVersion)
	b = binary.BigEndian.AppendUint32(b, rootBegin)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.data)))
	b = binary.BigEndian.AppendUint32(b, uint32(free.seek))
	b = binary.BigEndian.AppendUint32(b, uint32(free.size))
	b = binary.BigEndian.AppendUint32(b, 1) // free places
	b = binary.BigEndian.AppendUint32(b, uint32(nameBytes()))
	b = append(b, 4)
	b = binary.BigEndian.AppendUint32(b, 101) // zlib, level 1
	b = binary.BigEndian.AppendUint32(b, uint32(infos.seek))
	b = binary.BigEndian.AppendUint32(b, uint32(infos.size))
	copy(f.data, append(b, rootUUID()...))
}
