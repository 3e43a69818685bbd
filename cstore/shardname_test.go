package cstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
)

func TestShardNames(t *testing.T) {
	tests := []struct {
		template string
		there    []string
		want     string
	}{
		{DefaultShardName, nil, "shard_00000.cstore"},
		{DefaultShardName, []string{"shard_00001.cstore"}, "shard_00002.cstore"}, // the gap at 0 stays
		{DefaultShardName, []string{"shard_7.cstore", "shard_00003.cstore"}, "shard_00008.cstore"},
		{DefaultShardName, []string{"shard_123456.cstore"}, "shard_123457.cstore"},
		{DefaultShardName, []string{"part-4.cstore", "shard_1x.cstore", "shard_.cstore", "shard_-1.cstore", "xshard_5.cstore", ".shard_00009.cstore.x.tmp", "shard_2.cstore.bak"}, "shard_00000.cstore"},
		{"part-{index}.cstore", []string{"shard_00004.cstore"}, "part-0.cstore"},
		{"part-{index}.cstore", []string{"part-9.cstore", "part-10.cstore"}, "part-11.cstore"},
		{"{index:03d}.cstore", []string{"002.cstore"}, "003.cstore"},
		{"{index:d}.cstore", []string{"002.cstore"}, "3.cstore"},
		{"{index:02}.cstore", nil, "00.cstore"},
		{"{{a}}{index}.cstore", []string{"{a}1.cstore"}, "{a}2.cstore"},
		{"2026.{index}.cstore", []string{"2026.1.cstore", "20261.cstore", "2027.5.cstore"}, "2026.2.cstore"},
		{"one.cstore", []string{"shard_00001.cstore"}, "one.cstore"},
	}
	for _, test := range tests {
		n, err := parseShardName(test.template)
		if err != nil {
			t.Errorf("%s: %v", test.template, err)
			continue
		}
		i, err := n.next(test.there)
		if got := n.name(i); err != nil || got != test.want {
			t.Errorf("%s beside %v: %s (%v), want %s", test.template, test.there, got, err, test.want)
		}
	}
}

func TestBadShardNames(t *testing.T) {
	for template, want := range map[string]string{
		"":                           "must end in .cstore",
		"x":                          "must end in .cstore",
		"x.parquet":                  "must end in .cstore",
		"x.CSTORE":                   "must end in .cstore",
		".cstore":                    "nothing but",
		".x.cstore":                  "hidden",
		"{index}{index}.cstore":      "twice",
		"{index:5d}.cstore":          "filled with zeros",
		"{index:x}.cstore":           "no width",
		"{index:05d.cstore":          "without its }",
		"index}.cstore":              "without its {",
		"{}.cstore":                  "no field {}",
		"{name}.cstore":              "no field {name}; there is {index}",
		"a/{index}.cstore":           "names a file in the folder",
		`a\{index}.cstore`:           "names a file in the folder",
		"../x.cstore":                "names a file in the folder",
		"{index}\x00.cstore":         "names a file in the folder",
		"{index:0300d}.cstore":       "no width",
		"shard_{index:05d}.cstore.x": "must end in .cstore",
	} {
		_, err := parseShardName(template)
		if !errors.Is(err, colstore.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", template, err, want)
		}
	}
	n, err := parseShardName(DefaultShardName)
	if err != nil {
		t.Fatal(err)
	}
	for _, digits := range []string{"9223372036854775807", "99999999999999999999"} {
		if i, err := n.next([]string{"shard_" + digits + ".cstore"}); !errors.Is(err, colstore.ErrRange) {
			t.Errorf("beside number %s: %d, %v", digits, i, err)
		}
	}
}
