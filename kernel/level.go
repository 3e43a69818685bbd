package kernel

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
)

// A Level is what of the processor kernels make use of. Results are the same bits at every level.
type Level uint32

// The levels, each with all of those before it. [LevelGo] is the plain loops that define what a kernel does; there are no
// others but on amd64, nor with the build tag purego.
const (
	LevelGo     Level = iota // Go
	LevelSSE                 // what every amd64 has
	LevelAVX2                // AVX2, FMA, F16C, BMI1, BMI2, POPCNT
	LevelAVX512              // AVX-512 F, BW, CD, DQ and VL, and VBMI2 where a kernel asks for it
)

// levelNames are the levels' names in LevelVariable.
var levelNames = []string{"go", "sse", "avx2", "avx512"}

func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level %d", uint32(l))
}

// LevelVariable is the environment variable that names the level to run at: "go", "sse", "avx2" or "avx512". What the
// processor does not have is not used whatever it says, and a name that is none changes nothing.
const LevelVariable = "COLSTORE_KERNELS"

// active is the level that kernels run at. It is written at start, and by SetLevel.
var active atomic.Uint32

// best is what the processor has.
var best = detected()

func init() {
	l := best
	if want, err := ParseLevel(os.Getenv(LevelVariable)); err == nil {
		l = min(l, want)
	}
	active.Store(uint32(l))
}

// ParseLevel returns the level of a name.
//
// Errors: colstore.ErrOption, with the names there are.
func ParseLevel(name string) (Level, error) {
	for i, n := range levelNames {
		if n == name {
			return Level(i), nil
		}
	}
	return 0, fmt.Errorf("%w: kernel level %q; there are %s", colstore.ErrOption, name, strings.Join(levelNames, ", "))
}

// Best returns the highest level that the processor has.
func Best() Level { return best }

// Active returns the level that kernels run at.
func Active() Level { return Level(active.Load()) }

// SetLevel makes kernels run at a level, or at [Best] if the processor does not have it, and returns the level that they
// ran at before. It is for tests and measurements: results are the same at every level.
func SetLevel(l Level) (before Level) { return Level(active.Swap(uint32(min(l, best)))) }

// has reports whether kernels of a level may run.
func has(l Level) bool { return active.Load() >= uint32(l) }
