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

// A machine writes the operations of a function for vectors of float64: eight of AVX-512, or four of AVX2; or for vectors
// of twice as many float32.
type machine struct {
	wide   bool
	single bool   // float32
	turn   func() // called before an operation, nil for none: it lets another machine write one of its own
}

type (
	vec  = reg.VecVirtual
	mask = operand.Op // a mask register, or a vector of which the highest bit of each value counts
)

// A value is a vector, or a constant that is repeated.
type value interface{}

// A literal is a float64, for float32 the nearest, or bits.
type literal struct {
	bits   uint64
	number bool
}

var (
	named   = constants("../mathconst.go")
	symbols = map[string]operand.Mem{}
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
func c(name string) literal {
	v, ok := named[name]
	if !ok {
		log.Fatalf("no constant %s", name)
	}
	return num(v)
}

// num returns a number.
func num(v float64) literal { return literal{math.Float64bits(v), true} }

// word returns a constant of given bits, word32 one of as many as a float32 has.
func word(bits uint64) literal   { return literal{bits, false} }
func word32(bits uint32) literal { return word(uint64(bits)) }

// symbol returns where a constant lies.
func (m *machine) symbol(k literal) operand.Mem {
	name, bits := fmt.Sprintf("math%016x", k.bits), operand.Constant(operand.U64(k.bits))
	if m.single {
		four := uint32(k.bits)
		if k.number {
			four = math.Float32bits(float32(math.Float64frombits(k.bits)))
		}
		name, bits = fmt.Sprintf("math%08x", four), operand.U32(four)
	}
	at, ok := symbols[name]
	if !ok {
		at = GLOBL(name, 8|16)
		DATA(0, bits)
		symbols[name] = at
	}
	return at
}

const signBit = 1 << 63

// signBit is the sign's bit.
func (m *machine) signBit() literal {
	if m.single {
		return word32(signBit >> 32)
	}
	return word(signBit)
}

// otherBits are those that are not the sign's.
func (m *machine) otherBits() literal {
	if m.single {
		return word32(signBit>>32 - 1)
	}
	return word(signBit - 1)
}

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
	if k, ok := v.(literal); ok {
		r := m.new()
		m.pick(VBROADCASTSD, VBROADCASTSS)(m.symbol(k), r)
		return r
	}
	return v.(vec)
}

type instruction = func(...operand.Op)

// pick is an instruction for float64, or the one for float32.
func (m *machine) pick(double, single any) instruction {
	i := double
	if m.single {
		i = single
	}
	switch f := i.(type) {
	case func(...operand.Op):
		return f
	case func(a, b operand.Op):
		return func(x ...operand.Op) { f(x[0], x[1]) }
	case func(a, b, c operand.Op):
		return func(x ...operand.Op) { f(x[0], x[1], x[2]) }
	case func(a, b, c, d operand.Op):
		return func(x ...operand.Op) { f(x[0], x[1], x[2], x[3]) }
	}
	log.Fatalf("no instruction: %T", i)
	return nil
}

// op2 does a op b; b may be a constant.
func (m *machine) op2(plain, bcst instruction, a, b value) vec {
	m.next()
	x, r := m.reg(a), m.new()
	if k, ok := b.(literal); ok && m.wide {
		bcst(m.symbol(k), x, r)
	} else {
		plain(m.reg(b), x, r)
	}
	return r
}

// either does it with the constant, if there is one, as the second operand.
func (m *machine) either(plain, bcst instruction, a, b value) vec {
	if _, ok := a.(literal); ok {
		a, b = b, a
	}
	return m.op2(plain, bcst, a, b)
}

func (m *machine) add(a, b value) vec {
	return m.either(m.pick(VADDPD, VADDPS), m.pick(VADDPD_BCST, VADDPS_BCST), a, b)
}

func (m *machine) sub(a, b value) vec {
	return m.op2(m.pick(VSUBPD, VSUBPS), m.pick(VSUBPD_BCST, VSUBPS_BCST), a, b)
}

func (m *machine) mul(a, b value) vec {
	return m.either(m.pick(VMULPD, VMULPS), m.pick(VMULPD_BCST, VMULPS_BCST), a, b)
}

func (m *machine) div(a, b value) vec {
	return m.op2(m.pick(VDIVPD, VDIVPS), m.pick(VDIVPD_BCST, VDIVPS_BCST), a, b)
}

func (m *machine) min(a, b value) vec {
	return m.op2(m.pick(VMINPD, VMINPS), m.pick(VMINPD_BCST, VMINPS_BCST), a, b)
}

func (m *machine) max(a, b value) vec {
	return m.op2(m.pick(VMAXPD, VMAXPS), m.pick(VMAXPD_BCST, VMAXPS_BCST), a, b)
}

func (m *machine) and(a, b value) vec {
	return m.either(m.pick(VANDPD, VANDPS), m.pick(VANDPD_BCST, VANDPS_BCST), a, b)
}

func (m *machine) or(a, b value) vec {
	return m.either(m.pick(VORPD, VORPS), m.pick(VORPD_BCST, VORPS_BCST), a, b)
}

func (m *machine) xor(a, b value) vec {
	return m.either(m.pick(VXORPD, VXORPS), m.pick(VXORPD_BCST, VXORPS_BCST), a, b)
}

func (m *machine) addInt(a, b value) vec {
	return m.either(m.pick(VPADDQ, VPADDD), m.pick(VPADDQ_BCST, VPADDD_BCST), a, b)
}

func (m *machine) left(a value, by int) vec {
	m.next()
	r := m.new()
	m.pick(VPSLLQ, VPSLLD)(operand.U8(by), m.reg(a), r)
	return r
}

func (m *machine) right(a value, by int) vec {
	m.next()
	r := m.new()
	m.pick(VPSRLQ, VPSRLD)(operand.U8(by), m.reg(a), r)
	return r
}

// rightSigned fills with the sign; it is for float32 alone, as float is.
func (m *machine) rightSigned(a vec, by int) vec {
	m.next()
	r := m.new()
	VPSRAD(operand.U8(by), a, r)
	return r
}

// float makes numbers of integers.
func (m *machine) float(a vec) vec {
	m.next()
	r := m.new()
	VCVTDQ2PS(a, r)
	return r
}

func (m *machine) sqrt(a vec) vec {
	m.next()
	r := m.new()
	VSQRTPD(a, r)
	return r
}

// round rounds to whole numbers, halves to even; floor rounds down.
func (m *machine) round(a vec) vec { return m.rounded(a, 8) }
func (m *machine) floor(a vec) vec { return m.rounded(a, 9) }

func (m *machine) rounded(a vec, how uint8) vec {
	m.next()
	r := m.new()
	if m.wide {
		m.pick(VRNDSCALEPD, VRNDSCALEPS)(operand.U8(how), a, r)
	} else {
		m.pick(VROUNDPD, VROUNDPS)(operand.U8(how), a, r)
	}
	return r
}

// fma is a·b + c, rounded once; fnma is c - a·b.
func (m *machine) fma(a, b, c value) vec {
	return m.fused(m.pick(VFMADD213PD, VFMADD213PS), m.pick(VFMADD213PD_BCST, VFMADD213PS_BCST), m.pick(VFMADD231PD, VFMADD231PS), m.pick(VFMADD231PD_BCST, VFMADD231PS_BCST), a, b, c)
}

func (m *machine) fnma(a, b, c value) vec {
	return m.fused(m.pick(VFNMADD213PD, VFNMADD213PS), m.pick(VFNMADD213PD_BCST, VFNMADD213PS_BCST), m.pick(VFNMADD231PD, VFNMADD231PS), m.pick(VFNMADD231PD_BCST, VFNMADD231PS_BCST), a, b, c)
}

// fms is a·b - c.
func (m *machine) fms(a, b, c value) vec {
	return m.fused(m.pick(VFMSUB213PD, VFMSUB213PS), m.pick(VFMSUB213PD_BCST, VFMSUB213PS_BCST), m.pick(VFMSUB231PD, VFMSUB231PS), m.pick(VFMSUB231PD_BCST, VFMSUB231PS_BCST), a, b, c)
}

func (m *machine) fused(f213, f213b, f231, f231b instruction, a, b, c value) vec {
	m.next()
	r := m.new()
	if k, ok := c.(literal); ok && m.wide {
		VMOVAPD(m.reg(a), r)
		f213b(m.symbol(k), m.reg(b), r)
		return r
	} else if ok {
		r := m.reg(c)
		f231(m.reg(b), m.reg(a), r)
		return r
	}
	VMOVAPD(c.(vec), r)
	if _, ok := a.(literal); ok {
		a, b = b, a
	}
	if k, ok := b.(literal); ok && m.wide {
		f231b(m.symbol(k), m.reg(a), r)
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
		m.pick(VCMPPD, VCMPPS)(operand.U8(how), m.reg(b), m.reg(a), r)
		return r
	}
	k := K()
	if number, ok := b.(literal); ok {
		m.pick(VCMPPD_BCST, VCMPPS_BCST)(operand.U8(how), m.symbol(number), m.reg(a), k)
	} else {
		m.pick(VCMPPD, VCMPPS)(operand.U8(how), m.reg(b), m.reg(a), k)
	}
	return k
}

// atLeast compares integers without a sign; it is for AVX-512 alone.
func (m *machine) atLeast(a vec, b literal) mask {
	m.next()
	k := K()
	m.pick(VPCMPUQ_BCST, VPCMPUD_BCST)(operand.U8(5), m.symbol(b), a, k)
	return k
}

// lowBit is the mask of the values whose lowest bit is set; it is for choose alone.
func (m *machine) lowBit(a vec) mask {
	m.next()
	if !m.wide {
		return m.left(a, 63)
	}
	k := K()
	VPTESTMQ_BCST(m.symbol(word(1)), a, k)
	return k
}

func (m *machine) anyOf(a, b mask) mask {
	m.next()
	if !m.wide {
		return m.or(a, b)
	}
	k := K()
	m.pick(KORB, KORW)(a, b, k)
	return k
}

func (m *machine) allOf(a, b mask) mask {
	m.next()
	if !m.wide {
		return m.and(a, b)
	}
	k := K()
	m.pick(KANDB, KANDW)(a, b, k)
	return k
}

// choose is yes where the mask is set, and else no.
func (m *machine) choose(k mask, yes, no value) vec {
	m.next()
	r := m.new()
	if m.wide {
		m.pick(VBLENDMPD, VBLENDMPS)(m.reg(yes), m.reg(no), k, r)
	} else {
		m.pick(VBLENDVPD, VBLENDVPS)(k, m.reg(yes), m.reg(no), r)
	}
	return r
}

// where is the value where the mask is set, and else 0.
func (m *machine) where(k mask, v value) vec {
	m.next()
	r := m.new()
	if m.wide {
		m.pick(VMOVAPD_Z, VMOVAPS_Z)(m.reg(v), k, r)
	} else {
		m.pick(VANDPD, VANDPS)(k, m.reg(v), r)
	}
	return r
}

func (m *machine) abs(a vec) vec  { return m.and(a, m.otherBits()) }
func (m *machine) sign(a vec) vec { return m.and(a, m.signBit()) }
