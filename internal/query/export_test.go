package query

// Tokens returns where the tokens of a text begin and end, which can be parsed.
func Tokens(text string) (spans [][2]int) {
	l := &lexer{text: text}
	for {
		tok, err := l.next()
		if err != nil || tok.kind == tokEnd {
			return spans
		}
		spans = append(spans, [2]int{tok.begin, tok.end})
	}
}
