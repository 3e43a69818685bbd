package root

import (
	"fmt"
	"strconv"
	"strings"
)

// branchNames returns the names of the branches of columns: each run of characters that are no letters of ASCII, digits or
// underscores becomes an underscore, those at the ends vanish, a digit at the start gets one before it, nothing becomes
// "branch", and what is there already gets a number. changed lists the names that are others than the columns', for a
// warning.
//
// Other characters have a meaning where branches are named: "x[3]" declares an array, "a.b" is a part of a structure, and
// expressions take "a-b" for a difference.
func branchNames(columns []string) (names, changed []string) {
	taken := make(map[string]bool, len(columns))
	next := map[string]int{} // the number that a name is tried with
	for _, column := range columns {
		base := branchName(column)
		name := base
		for taken[name] {
			next[base] = max(2, next[base]+1)
			name = base + "_" + strconv.Itoa(next[base])
		}
		taken[name] = true
		names = append(names, name)
		if name != column {
			changed = append(changed, fmt.Sprintf("%q is %q", column, name))
		}
	}
	return names, changed
}

func branchName(column string) string {
	var b strings.Builder
	gap := false
	for _, c := range []byte(column) {
		if word := c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; !word {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteByte(c)
	}
	name := strings.Trim(b.String(), "_")
	switch {
	case name == "":
		return "branch"
	case name[0] >= '0' && name[0] <= '9':
		return "_" + name
	}
	return name
}
