package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// OptionKind is what an option's value is.
type OptionKind uint8

// The kinds, with the Go type that [Options] holds.
const (
	OptionText  OptionKind = iota // string
	OptionBool                    // bool
	OptionCount                   // int64, not negative
	OptionList                    // []string
)

var optionKinds = [...]string{"text", "true or false", "a whole number", "a list"}

// String returns the kind in words.
func (k OptionKind) String() string { return optionKinds[k] }

// holds reports whether v is of the Go type that options of the kind have.
func (k OptionKind) holds(v any) bool {
	switch v.(type) {
	case string:
		return k == OptionText
	case bool:
		return k == OptionBool
	case int64:
		return k == OptionCount
	case []string:
		return k == OptionList
	}
	return false
}

// An Option is one option of a format.
type Option struct {
	Name    string
	Doc     string
	Kind    OptionKind
	Default any      // of the kind's Go type
	Choices []string // if not empty, the values a text may have
	// Check, if set, refuses values; its error tells what the option takes.
	Check func(v any) error
}

// Options are checked option values by name.
type Options map[string]any

// Text returns a text option.
func (o Options) Text(name string) string { return o[name].(string) }

// Bool returns a bool option.
func (o Options) Bool(name string) bool { return o[name].(bool) }

// Count returns a count option.
func (o Options) Count(name string) int64 { return o[name].(int64) }

// List returns a list option.
func (o Options) List(name string) []string { return o[name].([]string) }

// CheckOptions turns given values, typed or as text, into the kinds that specs ask for, and fills in the defaults. who
// is the format and what is done with it, for messages: "reading csv".
//
// Errors: colstore.ErrOption for a name that is not in specs and a value that its option does not take.
func CheckOptions(who string, specs []Option, given map[string]any) (Options, error) {
	out := Options{}
	for _, s := range specs {
		out[s.Name] = s.Default
	}
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	for name, v := range given {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("%w: %s has no option %q%s", colstore.ErrOption, who, name, colstore.Suggest(name, names))
		}
		value, err := specs[i].convert(v)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: option %q: %w", colstore.ErrOption, who, name, err)
		}
		out[name] = value
	}
	return out, nil
}

func (s Option) convert(v any) (any, error) {
	value, ok := s.typed(v)
	if !ok {
		return nil, fmt.Errorf("%v is not %s", v, s.Kind)
	}
	if t, isText := value.(string); isText && len(s.Choices) > 0 && !slices.Contains(s.Choices, t) {
		return nil, fmt.Errorf("%q is not one of %s", t, strings.Join(s.Choices, ", "))
	}
	if s.Check != nil {
		if err := s.Check(value); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (s Option) typed(v any) (any, bool) {
	switch s.Kind {
	case OptionBool:
		switch v := v.(type) {
		case bool:
			return v, true
		case string:
			b, err := strconv.ParseBool(v)
			return b, err == nil
		}
	case OptionCount:
		switch v := v.(type) {
		case int64:
			return v, v >= 0
		case int:
			return int64(v), v >= 0
		case string:
			n, err := colstore.ParseCount(v)
			return n, err == nil
		}
	case OptionList:
		switch v := v.(type) {
		case []string:
			return v, true
		case string:
			return strings.Split(v, ","), true
		}
	default:
		if t, ok := v.(string); ok {
			return t, true
		}
	}
	return nil, false
}

func errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", colstore.ErrFormat, fmt.Sprintf(format, args...))
}
