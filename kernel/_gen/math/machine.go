package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"log"
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine writes the operations of a function for vectors of float64: eight of AVX-512, or four of AVX2.
type machine struct {
	wide bool
	turn func() // called before an operation, nil for none: it lets another machine write one of its own
}

type (
	vec  = reg.VecVirtual
	mask = operand.Op // a mask register, or a vector of which the highest bit of each value counts
)

// A value is a vector, or a constant that is repeated.
type value interface{}

// A constant is a symbol of eight bytes.
type constant8 struct{ mem operand.Mem }

var (
	named   = constants("../mathconst.go")
	symbols = map[uint64]constant8{}
)

// constants returns the constants of a file, which are literals.
func constants(path string) map[string]float64 {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	all := map[string]float64{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && len(s.Values) == 1 {
			sign, e := 1.0, s.Values[0]
			if u, ok := e.(*ast.UnaryExpr); ok {
				sign, e = -1, u.X
			}
			if l, ok := e.(*ast.BasicLit); ok {
				v, _ := constant.Float64Val(constant.ToFloat(constant.MakeFromLiteral(l.Value, l.Kind, 0)))
				all[s.Names[0].Name] = sign * v
			}
		}
		return true
	})
	return all
}

// c returns a constant of mathconst.go.
func c(name string) constant8 {
	v, ok := named[name]
	if !ok {
		log.Fatalf("no constant %s", name)
	}
	return word(math.Float64bits(v))
}

// num returns a number.
func num(v float64) constant8 { return word(math.Float64bits(v)) }

// word returns a constant of given bits.
func word(bits uint64) constant8 {
	k, ok := symbols[bits]
	if !ok {
		k = constant8{GLOBL(fmt.Sprintf("math%016x", bits), 8|16)}
		DATA(0, operand.U64(bits))
		symbols[bits] = k
	}
	return k
}

const signBit = 1 << 63

func (m *machine) new() vec {
	if m.wide {
		return ZMM()
	}
	return YMM()
}

// next lets another machine write an operation.
func (m *machine) next() {
	if m.turn != nil {
		m.turn()
	}
}

// reg returns a value as a vector.
func (m *machine) reg(v value) vec {
	if k, ok := v.(constant8); ok {
		r := m.new()
		VBROADCASTSD(k.mem, r)
		return r
	}
	return v.(vec)
}

type instruction = func(...operand.Op)

// op2 does a op b; b may be a constant.
func (m *machine) op2(plain, bcst instruction, a, b value) vec {
	m.next()
	x, r := m.reg(a), m.new()
	if k, ok := b.(constant8); ok && m.wide {
		bcst(k.mem, x, r)
	} else {
		plain(m.reg(b), x, r)
	}
	return r
}

// either does it with the constant, if there is one, as the second operand.
func (m *machine) either(plain, bcst instruction, a, b value) vec {
	if _, ok := a.(constant8); ok {
		a, b = b, a
	}
	return m.op2(plain, bcst, a, b)
}

func (m *machine) add(a, b value) vec { return m.either(VADDPD, VADDPD_BCST, a, b) }
func (m *machine) sub(a, b value) vec { return m.op2(VSUBPD, VSUBPD_BCST, a, b) }
func (m *machine) mul(a, b value) vec { return m.either(VMULPD, VMULPD_BCST, a, b) }
func (m *machine) div(a, b value) vec { return m.op2(VDIVPD, VDIVPD_BCST, a, b) }
func (m *machine) min(a, b value) vec { return m.op2(VMINPD, VMINPD_BCST, a, b) }
func (m *machine) max(a, b value) vec { return m.op2(VMAXPD, VMAXPD_BCST, a, b) }
func (m *machine) and(a, b value) vec { return m.either(VANDPD, VANDPD_BCST, a, b) }
func (m *machine) or(a, b value) vec  { return m.either(VORPD, VORPD_BCST, a, b) }
func (m *machine) xor(a, b value) vec { return m.either(VXORPD, VXORPD_BCST, a, b) }

func (m *machine) addInt(a, b value) vec { return m.either(VPADDQ, VPADDQ_BCST, a, b) }

func (m *machine) left(a value, by int) vec {
	m.next()
	r := m.new()
	VPSLLQ(operand.U8(by), m.reg(a), r)
	return r
}

func (m *machine) right(a value, by int) vec {
	m.next()
	r := m.new()
	VPSRLQ(operand.U8(by), m.reg(a), r)
	return r
}

func (m *machine) sqrt(a vec) vec {
	m.next()
	r := m.new()
	VSQRTPD(a, r)
	return r
}

// round rounds to whole numbers, halves to even.
func (m *machine) round(a vec) vec {
	m.next()
	r := m.new()
	if m.wide {
		VRNDSCALEPD(operand.U8(8), a, r)
	} else {
		VROUNDPD(operand.U8(8), a, r)
	}
	return r
}

// fma is a·b + c, rounded once; fnma is c - a·b.
func (m *machine) fma(a, b, c value) vec {
	return m.fused(VFMADD213PD, VFMADD213PD_BCST, VFMADD231PD, VFMADD231PD_BCST, a, b, c)
}

func (m *machine) fnma(a, b, c value) vec {
	return m.fused(VFNMADD213PD, VFNMADD213PD_BCST, VFNMADD231PD, VFNMADD231PD_BCST, a, b, c)
}

// fms is a·b - c.
func (m *machine) fms(a, b, c value) vec {
	return m.fused(VFMSUB213PD, VFMSUB213PD_BCST, VFMSUB231PD, VFMSUB231PD_BCST, a, b, c)
}

func (m *machine) fused(f213, f213b, f231, f231b instruction, a, b, c value) vec {
	m.next()
	r := m.new()
	if k, ok := c.(constant8); ok && m.wide {
		VMOVAPD(m.reg(a), r)
		f213b(k.mem, m.reg(b), r)
		return r
	} else if ok {
		r := m.reg(c)
		f231(m.reg(b), m.reg(a), r)
		return r
	}
	VMOVAPD(c.(vec), r)
	if _, ok := a.(constant8); ok {
		a, b = b, a
	}
	if k, ok := b.(constant8); ok && m.wide {
		f231b(k.mem, m.reg(a), r)
	} else {
		f231(m.reg(b), m.reg(a), r)
	}
	return r
}

// Comparisons, without exceptions.
const (
	lessThan   = 0x11
	moreThan   = 0x1e
	notEqual   = 0x04
	notAtLeast = 0x19
	notAtMost  = 0x16
	notMore    = 0x1a
	unordered  = 0x03
)

func (m *machine) cmp(how uint8, a, b value) mask {
	m.next()
	if !m.wide {
		r := YMM()
		VCMPPD(operand.U8(how), m.reg(b), m.reg(a), r)
		return r
	}
	k := K()
	if number, ok := b.(constant8); ok {
		VCMPPD_BCST(operand.U8(how), number.mem, m.reg(a), k)
	} else {
		VCMPPD(operand.U8(how), m.reg(b), m.reg(a), k)
	}
	return k
}

// lowBit is the mask of the values whose lowest bit is set; it is for choose alone.
func (m *machine) lowBit(a vec) mask {
	m.next()
	if !m.wide {
		return m.left(a, 63)
	}
	k := K()
	VPTESTMQ_BCST(word(1).mem, a, k)
	return k
}

func (m *machine) anyOf(a, b mask) mask {
	m.next()
	if !m.wide {
		return m.or(a, b)
	}
	k := K()
	KORB(a, b, k)
	return k
}

func (m *machine) allOf(a, b mask) mask {
	m.next()
	if !m.wide {
		return m.and(a, b)
	}
	k := K()
	KANDB(a, b, k)
	return k
}

// choose is yes where the mask is set, and else no.
func (m *machine) choose(k mask, yes, no value) vec {
	m.next()
	r := m.new()
	if m.wide {
		VBLENDMPD(m.reg(yes), m.reg(no), k, r)
	} else {
		VBLENDVPD(k, m.reg(yes), m.reg(no), r)
	}
	return r
}

// where is the value where the mask is set, and else 0.
func (m *machine) where(k mask, v value) vec {
	m.next()
	r := m.new()
	if m.wide {
		VMOVAPD_Z(m.reg(v), k, r)
	} else {
		VANDPD(k, m.reg(v), r)
	}
	return r
}

func (m *machine) abs(a vec) vec  { return m.and(a, word(^uint64(signBit))) }
func (m *machine) sign(a vec) vec { return m.and(a, word(signBit)) }
