package main

import (
	"strings"

	"github.com/colstore/colstore-go/source"
)

// orients is what --orient says: of the input, of the output, or of both, as IN:OUT. Either may be empty.
type orients struct{ in, out string }

// parseOrients takes --orient apart. One orient alone is the input's here; what else it may be, [orients.between] tells.
func parseOrients(flag string) (o orients, paired bool) {
	in, out, paired := strings.Cut(flag, ":")
	return orients{in, out}, paired
}

// between returns the orients of a conversion between two formats. One orient alone is the output's if that is JSON, since
// how an input is laid out is mostly seen; else the input's. One that fits neither goes to the output, whose format tells
// what is wrong with it.
func (f *inputFlags) orients(input, inputFormat, output string) (orients, error) {
	o, paired := parseOrients(f.orient)
	if paired || f.orient == "" {
		return o, nil
	}
	in, err := source.FormatName(input, inputFormat)
	isJSON := func(format string) bool { return format == "json" || format == "jsonl" }
	switch {
	case output == "json", output == "jsonl" && (err != nil || in != "json"):
		return orients{out: f.orient}, nil
	case err == nil && !isJSON(in):
		return o, usagef("--orient %s says how JSON is laid out, but the input is %s and the output %s", f.orient, in, output)
	}
	return o, nil
}
