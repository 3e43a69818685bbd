package query

import "math/big"

// kind is what a token is to the grammar.
type kind uint8

const (
	tokEnd kind = iota
	tokName
	tokQuoted // a name in back-quotes
	tokParam
	tokInt
	tokFloat
	tokText
	tokBytes
	tokEllipsis

	tokAnd
	tokOr
	tokNot
	tokIn
	tokTrue
	tokFalse
	tokNone
	tokReserved // a word of Python that the language has no use for

	tokLeftParen
	tokRightParen
	tokLeftBracket
	tokRightBracket
	tokComma

	tokPlus
	tokMinus
	tokStar
	tokSlash
	tokDoubleSlash
	tokPercent
	tokDoubleStar
	tokAmpersand
	tokPipe
	tokCircumflex
	tokTilde
	tokLess
	tokLessEqual
	tokGreater
	tokGreaterEqual
	tokEqual
	tokNotEqual

	// These begin constructs that are refused, and the parser knows which.
	tokDot
	tokAt
	tokAssign
)

// A token is text[begin:end] with the value of a name, parameter, number or text decoded.
type token struct {
	kind       kind
	begin, end int
	value      string
	whole      *big.Int
	float      float64
}

// words are Python's keywords; none of them is a name.
var words = map[string]kind{
	"and": tokAnd, "or": tokOr, "not": tokNot, "in": tokIn, "True": tokTrue, "False": tokFalse, "None": tokNone,

	"as": tokReserved, "assert": tokReserved, "async": tokReserved, "await": tokReserved, "break": tokReserved,
	"class": tokReserved, "continue": tokReserved, "def": tokReserved, "del": tokReserved, "elif": tokReserved,
	"else": tokReserved, "except": tokReserved, "finally": tokReserved, "for": tokReserved, "from": tokReserved,
	"global": tokReserved, "if": tokReserved, "import": tokReserved, "is": tokReserved, "lambda": tokReserved,
	"nonlocal": tokReserved, "pass": tokReserved, "raise": tokReserved, "return": tokReserved, "try": tokReserved,
	"while": tokReserved, "with": tokReserved, "yield": tokReserved,
}

// An operator is a token without letters. One with a message is refused.
type operator struct {
	text string
	kind kind
	msg  string
}

// operators holds the operators by their first byte, the longer before those they begin with.
var operators = [128][]operator{
	'(': {{text: "(", kind: tokLeftParen}},
	')': {{text: ")", kind: tokRightParen}},
	'[': {{text: "[", kind: tokLeftBracket}},
	']': {{text: "]", kind: tokRightBracket}},
	',': {{text: ",", kind: tokComma}},
	'.': {{text: "...", kind: tokEllipsis}, {text: ".", kind: tokDot}},
	'~': {{text: "~=", msg: "use !="}, {text: "~", kind: tokTilde}},
	'+': {assigns("+="), {text: "+", kind: tokPlus}},
	'-': {assigns("-="), {text: "-", kind: tokMinus}},
	'*': {assigns("**="), {text: "**", kind: tokDoubleStar}, assigns("*="), {text: "*", kind: tokStar}},
	'/': {assigns("//="), {text: "//", kind: tokDoubleSlash}, assigns("/="), {text: "/", kind: tokSlash}},
	'%': {assigns("%="), {text: "%", kind: tokPercent}},
	'^': {assigns("^="), {text: "^", kind: tokCircumflex}},
	'&': {{text: "&&", msg: "use and, or &"}, assigns("&="), {text: "&", kind: tokAmpersand}},
	'|': {{text: "||", msg: "use or, or |"}, assigns("|="), {text: "|", kind: tokPipe}},
	'<': {
		{text: "<<=", msg: "nothing is assigned in an expression; use * 2 ** n"},
		{text: "<<", msg: "there is no shift <<; use * 2 ** n"},
		{text: "<>", msg: "use !="},
		{text: "<=", kind: tokLessEqual},
		{text: "<", kind: tokLess},
	},
	'>': {
		{text: ">>=", msg: "nothing is assigned in an expression; use // 2 ** n"},
		{text: ">>", msg: "there is no shift >>; use // 2 ** n"},
		{text: ">=", kind: tokGreaterEqual},
		{text: ">", kind: tokGreater},
	},
	'=': {
		{text: "===", msg: "use =="},
		{text: "==", kind: tokEqual},
		{text: "=<", msg: "use <="},
		{text: "=>", msg: "use >="},
		{text: "=", kind: tokAssign},
	},
	'!': {
		{text: "!==", msg: "use !="},
		{text: "!=", kind: tokNotEqual},
		{text: "!", msg: "use not instead of !"},
	},
	':': {
		{text: ":=", msg: "nothing is assigned in an expression; repeat the value where it is used"},
		{text: ":", msg: "a colon has no meaning in an expression; remove it"},
	},
	'{': {{text: "{", msg: "there are no sets and dicts; write a list, [1, 2]"}},
	'}': {{text: "}", msg: "there are no sets and dicts; write a list, [1, 2]"}},
	';': {{text: ";", msg: "only one expression is allowed; join conditions with and"}},
	'?': {{text: "?", msg: "use where(condition, a, b)"}},
	'$': {{text: "$", msg: "use @name for a parameter"}},
}

func assigns(text string) operator {
	return operator{text: text, msg: "nothing is assigned in an expression; use " + text[:len(text)-1] + " or =="}
}

// lookalikes are characters that word processors and keyboards give in place of the language's own.
var lookalikes = map[rune]string{
	'‘': "'", '’': "'", '´': "'", '“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`,
	'≤': "<=", '≥': ">=", '≠': "!=", '−': "-", '–': "-", '—': "-", '×': "*", '·': "*", '⋅': "*", '÷': "/",
	'∧': "and", '∨': "or", '¬': "not", '∈': "in", '∉': "not in", '，': ",", '（': "(", '）': ")",
}
