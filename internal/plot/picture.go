package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// The size of a picture.
const (
	pictureWidth  = 6 * vg.Inch
	pictureHeight = 4 * vg.Inch
	pictureDPI    = 150
)

// timeless makes PDF files the same whenever they are made.
var timeless = sync.OnceFunc(func() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
})

// picture draws a histogram.
func picture(format string, h *ops.Hist, l Labels) (_ []byte, err error) {
	defer func() {
		// The drawing library panics on what it cannot scale.
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: the plot cannot be drawn as %s: %v", colstore.ErrValue, format, r)
		}
	}()
	if err := drawable(h); err != nil {
		return nil, err
	}
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(pictureWidth, pictureHeight)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pictureWidth, pictureHeight), vgimg.UseDPI(pictureDPI))}
	default:
		timeless()
		c = vgpdf.New(pictureWidth, pictureHeight)
	}
	dc := draw.New(c)
	if h.Is2D() {
		drawGrid(dc, h, l)
	} else {
		drawSteps(dc, h, l)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%w: the plot cannot be drawn as %s: %w", colstore.ErrValue, format, err)
	}
	return b.Bytes(), nil
}

// drawable refuses numbers so large or small that coordinates of them leave what the drawing library can compute with.
func drawable(h *ops.Hist) error {
	check := func(what string, v float64) error {
		if a := math.Abs(v); a > 1e290 && v-v == 0 || a > 0 && a < 1e-290 {
			return fmt.Errorf("%w: %s of %v cannot be drawn; scale it", colstore.ErrValue, what, v)
		}
		return nil
	}
	err := errors.Join(check("an edge", h.X.Low), check("an edge", h.X.High), check("an edge", h.Y.Low), check("an edge", h.Y.High))
	for i := 0; i < len(h.SumW) && err == nil; i++ {
		err = errors.Join(check("a bin", h.SumW[i]), check("a squared weight", h.SumW2[i]))
	}
	return err
}

// newPlot returns an empty plot with labelled axes, in a face without serifs.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font} {
		f.Variant = "Sans"
	}
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = ticker{}, ticker{}
	return p
}

// ticker puts labels at round numbers: multiples of 1, 2 or 5 times a power of ten.
type ticker struct{}

// Ticks implements plot.Ticker.
func (ticker) Ticks(low, high float64) []plot.Tick {
	const labels = 6
	power := math.Pow(10, math.Floor(math.Log10((high-low)/labels)))
	step := 10 * power
	for _, s := range []float64{1, 2, 5} {
		if (high-low)/(s*power) <= labels {
			step = s * power
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9 && len(out) < 4*labels; i++ {
		v := i * step
		label := strconv.FormatFloat(v, 'f', digits, 64)
		if size := math.Max(math.Abs(low), math.Abs(high)); size >= 1e6 || size < 1e-3 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		if i == 0 {
			label = "0"
		}
		out = append(out, plot.Tick{Value: v, Label: label})
	}
	return out
}

var (
	ink  = color.NRGBA{R: 0x1f, G: 0x4e, B: 0x79, A: 0xff}
	fill = color.NRGBA{R: 0xc6, G: 0xd9, B: 0xec, A: 0xff}
)

// steps draws a histogram of one column as a filled line of steps, with the statistical errors of weighted bins.
type steps struct {
	*drawn
	weighted bool
}

func (s steps) value(i int) float64 { return s.sums[i] }
func (s steps) err(i int) float64 {
	if !s.weighted {
		return 0
	}
	return math.Sqrt(s.sum2[i])
}

// Plot implements plot.Plotter.
func (s steps) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	zero := toY(0)
	outline := []vg.Point{{X: toX(s.x.Low), Y: zero}}
	for i := range s.x.n {
		y := toY(s.value(i))
		low, high := s.x.ends(i)
		outline = append(outline, vg.Point{X: toX(low), Y: y}, vg.Point{X: toX(high), Y: y})
	}
	outline = append(outline, vg.Point{X: toX(s.x.High), Y: zero})
	c.FillPolygon(fill, c.ClipPolygonXY(outline))
	line := draw.LineStyle{Color: ink, Width: vg.Points(1)}
	c.StrokeLines(line, c.ClipLinesXY(outline)...)
	if !s.weighted {
		return
	}
	line.Width = vg.Points(0.6)
	for i := range s.x.n {
		low, high := s.x.ends(i)
		x := toX(low/2 + high/2)
		v, e := s.value(i), s.err(i)
		c.StrokeLines(line, c.ClipLinesXY([]vg.Point{{X: x, Y: toY(v - e)}, {X: x, Y: toY(v + e)}})...)
	}
}

// DataRange implements plot.DataRanger.
func (s steps) DataRange() (xmin, xmax, ymin, ymax float64) {
	for i := range s.x.n {
		ymin = min(ymin, s.value(i)-s.err(i))
		ymax = max(ymax, s.value(i)+s.err(i))
	}
	if ymin == ymax {
		ymax = 1
	}
	return s.x.Low, s.x.High, ymin * 1.05, ymax * 1.05
}

func drawSteps(c draw.Canvas, h *ops.Hist, l Labels) {
	p := newPlot(l.X, l.content())
	p.Add(steps{newDrawn(h), h.Weighted})
	p.Draw(draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(8)))
}

// cells draws a histogram of two columns as coloured rectangles. Empty bins stay white.
type cells struct {
	*drawn
	from, to float64 // contents of the first and the last colour
}

// Plot implements plot.Plotter.
func (g cells) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for iy := range g.y.n {
		bottom, top := g.y.ends(iy)
		y0, y1 := toY(bottom), toY(top)
		for ix := range g.x.n {
			v := g.sums[iy*g.x.n+ix]
			if v == 0 {
				continue
			}
			left, right := g.x.ends(ix)
			rectangle(c, shade((v-g.from)/(g.to-g.from)), toX(left), toX(right), y0, y1)
		}
	}
}

// DataRange implements plot.DataRanger.
func (g cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return g.x.Low, g.x.High, g.y.Low, g.y.High
}

// rectangle fills a rectangle and a little more to the right and above, where the next one is drawn over it: else the
// background shines through between them.
func rectangle(c draw.Canvas, fill color.Color, x0, x1, y0, y1 vg.Length) {
	x1, y1 = min(x1+seam, c.Max.X), min(y1+seam, c.Max.Y)
	c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

const seam = 0.4 // points

// ramp is the scale of colours, from light to dark.
var ramp = []color.NRGBA{
	{R: 0xf7, G: 0xfb, B: 0xda, A: 0xff},
	{R: 0xc7, G: 0xe9, B: 0xb4, A: 0xff},
	{R: 0x7f, G: 0xcd, B: 0xbb, A: 0xff},
	{R: 0x41, G: 0xb6, B: 0xc4, A: 0xff},
	{R: 0x22, G: 0x5e, B: 0xa8, A: 0xff},
	{R: 0x08, G: 0x1d, B: 0x58, A: 0xff},
}

// shade returns the colour of a content from 0 to 1.
func shade(v float64) color.NRGBA {
	at := max(0, min(1, v)) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	t := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + t*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// scale draws the colours beside their contents.
type scale struct{ from, to float64 }

const scaleSteps = 64

// Plot implements plot.Plotter.
func (s scale) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for i := range scaleSteps {
		y := func(i int) vg.Length { return toY(s.from + (s.to-s.from)*float64(i)/scaleSteps) }
		rectangle(c, shade((float64(i)+0.5)/scaleSteps), toX(0), toX(1), y(i), y(i+1))
	}
}

// DataRange implements plot.DataRanger.
func (s scale) DataRange() (xmin, xmax, ymin, ymax float64) { return 0, 1, s.from, s.to }

func drawGrid(c draw.Canvas, h *ops.Hist, l Labels) {
	from, to := 0.0, 0.0
	d := newDrawn(h)
	for _, v := range d.sums {
		from, to = min(from, v), max(to, v)
	}
	if from == to {
		to = from + 1
	}
	const scaleWidth = 0.9 * vg.Inch
	p := newPlot(l.X, l.Y)
	p.Add(cells{d, from, to})
	p.Draw(draw.Crop(c, vg.Points(4), -scaleWidth-vg.Points(10), vg.Points(4), -vg.Points(8)))
	s := newPlot("", l.content())
	s.HideX()
	s.Add(scale{from, to})
	s.Draw(draw.Crop(c, pictureWidth-scaleWidth, -vg.Points(8), vg.Points(34), -vg.Points(8)))
}
