package ops

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/colstore/colstore-go"
)

// An Operand is an argument as far as typing needs to know it: a dtype, or the value of a literal that has none yet.
type Operand struct {
	Type colstore.DType // of a column or typed value; invalid if Lit is set
	Lit  any            // bool, *big.Int, float64, string, []byte or None of a literal that adapts to what it meets
}

// None is the literal None.
type None struct{}

// Typed returns the operand of a column or typed value.
func Typed(t colstore.DType) Operand { return Operand{Type: t.Native()} }

// A Kernel computes one chunk. dst and args are plain columns with the dtypes of the overload and the same number of
// rows; an argument of stride 0 repeats its value. It runs on any goroutine, on several at once, and must not panic: [Map1],
// [Map2] and [Vectorized] make kernels that turn a panic of the program's own function into an error.
type Kernel func(dst colstore.Column, args []colstore.Column) error

// A Test computes a predicate over one chunk of rows rows: a bitmap with zeros past the last row.
type Test func(dst []uint64, args []colstore.Column, rows int) error

// MaxChunkRows is the most rows that a kernel of this package is given at once.
const MaxChunkRows = BlockRows

// maxChunkWords is the words of the bitmap of a chunk.
const maxChunkWords = MaxChunkRows / 64

// Logic is a connective of truth values, which the evaluator applies to bitmaps.
type Logic uint8

// The connectives.
const (
	NoLogic Logic = iota
	And
	Or
	Xor
	Not
)

// An Overload is a function bound to argument types: exactly one of Kernel, Test and Logic computes it.
type Overload struct {
	Use    []int            // which operands are passed, in order; nil is all of them
	Args   []colstore.DType // what each passed operand is converted to; unused by Logic, which takes truth values
	Result colstore.DType
	Kernel Kernel
	Test   Test
	Logic  Logic
	// Fallible tells that values can make it fail; the error is then a *RowError.
	Fallible bool
	// Range and KernelRange are the Test or Kernel over ranges of values; nil where nothing is known of them.
	Range       RangeTest
	KernelRange RangeKernel
}

// A RowError is the failure of a kernel at a row of its chunk.
type RowError struct {
	Row int
	Err error
}

// Error prints the cause; the row of a chunk means nothing to a reader, who maps it to a row of the source first.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// A Func is a function from columns to a column whose value in a row depends on that row alone.
type Func struct {
	Name    string
	Symbol  string // the operator it is written as, for messages; empty for functions
	Doc     string // one line
	MinArgs int
	MaxArgs int
	// Resolve chooses the overload for as many operands as MinArgs and MaxArgs allow.
	// Errors: colstore.ErrType, colstore.ErrValue; they say which types met.
	Resolve func(args []Operand) (Overload, error)
}

// Vectorized returns a function whose result type follows from its argument types and that computes one chunk at a time:
// the simple form for a program's own functions. Untyped literals reach it as int64, float64, bool or text. The columns
// it gets are read-only. Its errors, and panics of result and eval, are errors that begin with the name; of a *RowError
// the evaluator names the row and the expression.
func Vectorized(name, doc string, args int, result func([]colstore.DType) (colstore.DType, error), eval Kernel) Func {
	return Func{Name: name, Doc: doc, MinArgs: args, MaxArgs: args, Resolve: func(operands []Operand) (Overload, error) {
		types := make([]colstore.DType, len(operands))
		for i, o := range operands {
			t, err := o.DefaultType()
			if err != nil {
				return Overload{}, err
			}
			types[i] = t
		}
		var t colstore.DType
		err := guarded(name, func() (err error) { t, err = result(types); return err })
		if err == nil && !t.Valid() {
			err = fmt.Errorf("%w: %s has no result for %s", colstore.ErrType, name, names(operands))
		}
		return Overload{Args: types, Result: t, Fallible: true, Kernel: func(dst colstore.Column, args []colstore.Column) error {
			return guarded(name, func() error { return eval(dst, args) })
		}}, err
	}}
}

var catalogue = struct {
	sync.RWMutex
	funcs map[string]*Func
}{funcs: map[string]*Func{}}

// builtin adds the functions of this package; every file lists its own.
func builtin(funcs ...Func) bool {
	for _, f := range funcs {
		Register(ranged(f))
	}
	return true
}

// Register adds a function to the catalogue, for programs that bring their own. It panics on what is a mistake of the
// program: a name that is taken, also by the language itself, a name that no expression can call, and a function without
// Resolve.
func Register(f Func) {
	switch {
	case !callable(f.Name):
		panic("ops: no expression can call a function by the name " + strconv.Quote(f.Name) +
			"; it is to be a letter or underscore, then letters, digits or underscores, and no word of the language")
	case f.Resolve == nil:
		panic("ops: function " + f.Name + " has no Resolve")
	case f.MinArgs < 0 || f.MaxArgs < f.MinArgs:
		panic(fmt.Sprintf("ops: function %s takes from %d to %d arguments", f.Name, f.MinArgs, f.MaxArgs))
	}
	catalogue.Lock()
	defer catalogue.Unlock()
	if _, alias := aliases[f.Name]; alias || slices.Contains(reserved, f.Name) {
		panic("ops: " + f.Name + " is a name of the language")
	}
	if _, dup := catalogue.funcs[f.Name]; dup {
		panic("ops: function " + f.Name + " is registered twice")
	}
	catalogue.funcs[f.Name] = &f
}

// Lookup returns the function of that name.
func Lookup(name string) (*Func, bool) {
	if full, ok := aliases[name]; ok {
		name = full
	}
	catalogue.RLock()
	defer catalogue.RUnlock()
	f, ok := catalogue.funcs[name]
	return f, ok
}

// Names returns the names of all functions, sorted, without aliases.
func Names() []string {
	catalogue.RLock()
	defer catalogue.RUnlock()
	return slices.Sorted(maps.Keys(catalogue.funcs))
}

// Aliases returns the second names of functions, and what they stand for.
func Aliases() map[string]string { return maps.Clone(aliases) }

// callable reports whether an expression can call a function of that name.
func callable(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != "" && !slices.Contains(keywords, name)
}

// keywords are Python's, which are no names in an expression either.
var keywords = strings.Fields("False None True and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// reserved are the functions of the language that are none of the catalogue; package frame has them.
var reserved = []string{"astype", "clip", "isin"}

// aliases are second names NumPy users type.
var aliases = map[string]string{
	"abs": "absolute", "mod": "remainder", "degrees": "rad2deg", "radians": "deg2rad",
	"true_divide": "divide", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
	"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power", "bitwise_not": "invert",
	"bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
	"conj": "conjugate", "len": "length", "str_len": "length",
}
