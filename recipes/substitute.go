package recipes

import (
	"regexp"
	"strings"
	"time"
)

var (
	nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	envForm  = regexp.MustCompile(`^env:([A-Za-z_][A-Za-z0-9_]*)(?:(:-)([^}]*))?$`)
)

// substitute returns a scalar's text with what its ${…} stand for.
func (l *loader) substitute(n *node) (string, bool) {
	s := n.value
	if !strings.Contains(s, "${") {
		return s, true
	}
	var b strings.Builder
	good := true
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], "${")
		if i < 0 {
			b.WriteString(s[at:])
			break
		}
		begin := at + i
		if begin > at && s[begin-1] == '$' {
			b.WriteString(s[at:begin-1] + "${")
			at = begin + 2
			continue
		}
		b.WriteString(s[at:begin])
		length := strings.IndexByte(s[begin:], '}')
		if length < 0 {
			l.failIn(codeSubstitute, n, begin, len(s), "this ${ is not closed; add a }, or write $${ for the characters")
			return "", false
		}
		at = begin + length + 1
		text, problem := l.stands(s[begin+2 : at-1])
		if problem != nil {
			e := l.failIn(problem.code, n, begin, at, "%s", problem.message)
			e.Hint = problem.hint
			good = false
		}
		b.WriteString(text)
		if l.filled += len(text); l.filled > maxFilled {
			l.failIn(codeBomb, n, begin, at, "what ${…} stands for is more than %d MiB", maxFilled>>20)
			panic(enough{})
		}
	}
	return b.String(), good
}

type substituteProblem struct{ code, message, hint string }

// stands returns what the inside of a ${…} stands for.
func (l *loader) stands(inside string) (string, *substituteProblem) {
	if format, ok := strings.CutPrefix(inside, "date:"); ok {
		text, bad := formatDate(format, l.now)
		if bad != "" {
			return "", &substituteProblem{codeDate, bad + " stands for nothing in a date; there is " + dateLetters(), ""}
		}
		return text, nil
	}
	if m := envForm.FindStringSubmatch(inside); m != nil {
		if v, ok := l.env(m[1]); ok {
			return v, nil
		}
		if m[2] != "" {
			return m[3], nil
		}
		return "", &substituteProblem{
			codeSubstitute, "the environment variable " + m[1] + " is not set",
			"for a value to use then, write  ${env:" + m[1] + ":-value}",
		}
	}
	if inside == "run" || strings.HasPrefix(inside, "secret:") {
		return "", &substituteProblem{codeLater, "${" + inside + "} is not supported by this version", ""}
	}
	if !nameForm.MatchString(inside) {
		return "", &substituteProblem{
			codeSubstitute, "${" + inside + "} is no substitution",
			"there is ${parameter}, ${env:NAME}, ${env:NAME:-fallback}, ${date:%Y-%m-%d}; write $${ for the characters",
		}
	}
	p := l.param(inside)
	switch {
	case p == nil:
		return "", &substituteProblem{codeNoParam, l.noParam(inside), ""}
	case p.pending:
		return "", &substituteProblem{codeParam, "the parameter " + inside + " has no value yet; a default can use those above it", ""}
	case p.broken:
		return "", nil // was reported where it is set
	case p.isList():
		return "", &substituteProblem{codeParam, "the parameter " + inside + " is a list, which is no text", ""}
	}
	p.used = true
	return p.text, nil
}

// dateFields are the letters of ${date:…} and what they stand for.
var dateFields = []struct {
	letter byte
	layout string // of package time
}{
	{'Y', "2006"},
	{'y', "06"},
	{'m', "01"},
	{'d', "02"},
	{'H', "15"},
	{'M', "04"},
	{'S', "05"},
	{'j', "002"},
	{'b', "Jan"},
	{'B', "January"},
	{'a', "Mon"},
	{'A', "Monday"},
	{'F', "2006-01-02"},
	{'T', "15:04:05"},
	{'z', "-0700"},
	{'Z', "MST"},
}

func dateLetters() string {
	var b strings.Builder
	for _, f := range dateFields {
		b.WriteString("%" + string(f.letter) + " ")
	}
	return b.String() + "%%"
}

// formatDate fills in a format of % and a letter. bad is what stands for nothing.
func formatDate(format string, t time.Time) (text, bad string) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		if i == len(format) {
			return "", "a % at the end"
		}
		layout := ""
		for _, f := range dateFields {
			if f.letter == format[i] {
				layout = f.layout
			}
		}
		switch {
		case format[i] == '%':
			b.WriteByte('%')
		case layout == "":
			return "", format[i-1 : i+1]
		default:
			b.WriteString(t.Format(layout))
		}
	}
	return b.String(), ""
}
