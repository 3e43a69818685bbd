package lz4

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pierrec/lz4/v4"
)

func TestSpeed(t *testing.T) {
	files, _ := filepath.Glob("/tmp/fnpz/cols/*.bin")
	var tb table
	dst := make([]byte, bound)
	var tot [2]time.Duration
	var totn [2]int
	all := 0
	for _, f := range files {
		data, _ := os.ReadFile(f)
		all += len(data)
		var sizes [2]int
		var times [2]time.Duration
		for k := range 2 {
			times[k] = time.Hour
			for range 9 {
				start := time.Now()
				size := 0
				bs := 64 << 10
				if k == 0 {
					bs = 256 << 10
				}
				big := make([]byte, lz4.CompressBlockBound(bs))
				for at := 0; at < len(data); at += bs {
					b := data[at:min(at+bs, len(data))]
					n := 0
					if k == 0 {
						n, _ = lz4.CompressBlock(b, big[:len(b)], nil)
					} else {
						n = tb.compress(dst, b)
					}
					if n == 0 {
						n = len(b)
					} else if k == 1 {
						back := make([]byte, len(b))
						s := time.Now()
						m, err := lz4.UncompressBlock(dst[:n], back)
						if err != nil || m != len(b) || !bytes.Equal(back, b) {
							t.Fatal(f, at, err)
						}
						start = start.Add(time.Since(s))
					}
					size += n
				}
				times[k] = min(times[k], time.Since(start))
				sizes[k] = size
			}
			tot[k] += times[k]
			totn[k] += sizes[k]
		}
		fmt.Printf("%-10s %8d pierrec %8d %6.0f MB/s   ours %8d %6.0f MB/s\n", filepath.Base(f), len(data), sizes[0], float64(len(data))/times[0].Seconds()/1e6, sizes[1], float64(len(data))/times[1].Seconds()/1e6)
	}
	fmt.Printf("total %d pierrec %d %.0f, ours %d %.0f\n", all, totn[0], float64(all)/tot[0].Seconds()/1e6, totn[1], float64(all)/tot[1].Seconds()/1e6)
}
