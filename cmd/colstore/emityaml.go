package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// plainWord matches texts that are the same to every reader of YAML without quotes, but for the words of plainWords.
var plainWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// notPlain are words that are more than a text to some reader of YAML.
var notPlain = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none", "nan", "inf"}

// yamlWord returns a text as YAML, quoted if it must be.
func yamlWord(s string) string {
	if plainWord.MatchString(s) && !slices.Contains(notPlain, strings.ToLower(s)) {
		return s
	}
	return yamlQuoted(s)
}

func yamlWords(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = yamlWord(s)
	}
	return out
}

// yamlQuoted returns a text in double quotes. JSON's escapes are YAML's too.
func yamlQuoted(s string) string {
	if !utf8.ValidString(s) {
		return `"` + s + `"` // which is no recipe
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text always encodes
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\x7f", `\u007f`), "\n")
}

// yamlTemplate returns a text of a field where ${…} would be filled in.
func yamlTemplate(s string) string { return yamlQuoted(strings.ReplaceAll(s, "${", "$${")) }

// yamlPath returns a path, in whose place ${…} would be filled in.
func yamlPath(s string) string { return yamlWord(strings.ReplaceAll(s, "${", "$${")) }

// yamlList returns one item alone, several as a list.
func yamlList(items []string) string {
	if len(items) == 1 {
		return items[0]
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// yamlValue returns the value of a parameter: what types itself, or a map with its dtype.
func yamlValue(v any) (string, error) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), nil
	case *big.Int:
		return v.String(), nil
	case string:
		return yamlTemplate(v), nil
	case float64:
		return yamlFloat(v), nil
	case colstore.Scalar:
		return yamlScalar(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			if s, isScalar := item.(colstore.Scalar); isScalar {
				return "", fmt.Errorf("a list of %s values", s.Type().Name())
			}
			var err error
			if items[i], err = yamlValue(item); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(items, ", ") + "]", nil
	}
	return "", fmt.Errorf("a value of no type")
}

func yamlFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return ".nan"
	case math.IsInf(v, 1):
		return ".inf"
	case math.IsInf(v, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // else it would be a whole number
	}
	return s
}

// yamlScalar returns a typed value, if its text is read as the same value.
func yamlScalar(v colstore.Scalar) (string, error) {
	s := string(text.AppendPlain(nil, v.Cell(), 0))
	if v.Type() == colstore.Bool {
		return s, nil
	}
	back, err := text.ParseScalar(v.Type(), s)
	if err != nil || back.Type() != v.Type() || !bytes.Equal(back.Cell().At(0), v.Cell().At(0)) {
		return "", fmt.Errorf("the %s value %q cannot be spelled in a recipe", v.Type().Name(), s)
	}
	return fmt.Sprintf("{type: %s, default: %s}", yamlWord(v.Type().Name()), yamlTemplate(s)), nil
}

// recipe returns a step of a flag as that of a recipe.
func (s writtenStep) recipe() (string, error) {
	switch s.flag {
	case "where":
		return "where: " + yamlQuoted(s.text), nil
	case "assign":
		name, expr, _ := strings.Cut(s.text, "=")
		return fmt.Sprintf("assign: {%s: %s}", yamlWord(name), yamlQuoted(expr)), nil
	case "rename-column":
		from, to, _ := strings.Cut(s.text, "=")
		return fmt.Sprintf("rename: {%s: %s}", yamlWord(from), yamlWord(to)), nil
	case "drop":
		return fmt.Sprintf("drop: [%s]", strings.Join(yamlWords(splitNames(s.text)), ", ")), nil
	case "limit":
		n, err := colstore.ParseCount(s.text)
		return fmt.Sprintf("limit: %d", n), err
	case "sample":
		part, seed, seeded := strings.Cut(s.text, ":")
		fraction, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return "", err
		}
		step := "sample: {fraction: " + yamlFloat(fraction)
		if seeded {
			step += ", seed: " + strings.TrimLeft(seed, "0")
			if strings.TrimLeft(seed, "0") == "" {
				step += "0"
			}
		}
		return step + "}", nil
	}
	return "", noRecipe("--%s", s.flag)
}
