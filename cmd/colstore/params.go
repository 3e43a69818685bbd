package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/text"
)

// paramFlag collects -p NAME=VALUE, NAME:=JSON and NAME=DTYPE:VALUE.
type paramFlag struct {
	values frame.Params
	given  map[string]any // for recipes: text as typed, or the value of JSON
}

func (*paramFlag) Type() string   { return "NAME=VALUE" }
func (*paramFlag) String() string { return "" }

// Set implements pflag.Value.
func (p *paramFlag) Set(s string) error {
	if p.values == nil {
		p.values, p.given = frame.Params{}, map[string]any{}
	}
	name, value, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return fmt.Errorf("%q is not NAME=VALUE", s)
	}
	if n, isJSON := strings.CutSuffix(name, ":"); isJSON {
		v, err := jsonValue(value)
		if err != nil {
			return fmt.Errorf("parameter %q: %w", n, err)
		}
		p.values[n], p.given[n] = v, v
		return nil
	}
	p.given[name] = value
	v, err := typedValue(value)
	if err != nil {
		return fmt.Errorf("parameter %q: %w", name, err)
	}
	p.values[name] = v
	return nil
}

// typedValue reads a value that types itself, or DTYPE:VALUE.
func typedValue(s string) (any, error) {
	if code, value, ok := strings.Cut(s, ":"); ok {
		// A unit has no colon, a time has: the first one ends the dtype.
		if t, err := colstore.ParseDType(code); err == nil {
			return text.ParseScalar(t, value)
		}
	}
	if n, ok := new(big.Int).SetString(s, 10); ok {
		return n, nil
	}
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if f, err := text.ParseFloat(s); err == nil && s != "" {
		return f, nil
	}
	return s, nil
}

// jsonValue reads JSON, numbers exactly; a list of constants has its place beside "in".
func jsonValue(s string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, fmt.Errorf("%q is not JSON", s)
	}
	return fromJSON(v)
}

func fromJSON(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if n, ok := new(big.Int).SetString(v.String(), 10); ok {
			return n, nil
		}
		return strconv.ParseFloat(v.String(), 64)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var err error
			if out[i], err = fromJSON(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		return nil, fmt.Errorf("a JSON object is no value")
	}
	return v, nil
}
