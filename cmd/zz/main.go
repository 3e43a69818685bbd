package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

func main() {
	dir := os.Args[1]
	f, _ := os.Create("/tmp/stats/cpu.prof")
	what := os.Args[2]
	for i := 0; i < 3; i++ {
		if i == 1 {
			pprof.StartCPUProfile(f)
		}
		t := time.Now()
		switch what {
		case "stat":
			ps, err := source.Paths(source.Spec{Paths: []string{dir}})
			if err != nil {
				panic(err)
			}
			fmt.Println("paths", time.Since(t))
			for _, p := range ps {
				if _, err := cstore.Stat(p); err != nil {
					panic(err)
				}
			}
		case "open", "scan":
			s, err := source.Open(context.Background(), source.Spec{Paths: []string{dir}, Threads: runtime.GOMAXPROCS(0)})
			if err != nil {
				panic(err)
			}
			fmt.Println("open", time.Since(t))
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			fmt.Println("heap", m.HeapAlloc>>10, "KiB")
			t = time.Now()
			if what == "scan" {
				n := 0
				for b, err := range s.Scan(context.Background(), colstore.Scan{Columns: []string{"id"}, Once: true}) {
					if err != nil {
						panic(err)
					}
					n += b.Rows()
				}
				fmt.Println("scan", time.Since(t), n)
			}
			s.Close()
		}
		fmt.Println(what, time.Since(t))
	}
	pprof.StopCPUProfile()
}
