package colstore

import (
	"slices"
	"strconv"
	"strings"
)

// Suggest returns the end of a message about a name that is not among choices: the nearest choice if one is near, else
// the choices, cut after a dozen. It starts with "; " or is empty when there is nothing to offer.
func Suggest(name string, choices []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, c := range choices {
		d := distance(name, c, least)
		if strings.EqualFold(name, c) {
			d = 0
		}
		if d < least {
			best, least = c, d
		}
	}
	if best != "" {
		return "; did you mean " + strconv.Quote(best) + "?"
	}
	if len(choices) == 0 {
		return ""
	}
	const most = 12
	shown := slices.Clone(choices[:min(len(choices), most)])
	for i, name := range shown {
		shown[i] = clip(name)
	}
	text := "; there is " + strings.Join(shown, ", ")
	if n := len(choices) - len(shown); n > 0 {
		text += " and " + strconv.Itoa(n) + " more"
	}
	return text
}

// distance is the number of edits (insert, delete, replace, swap of neighbours) from a to b, or limit if it is that or
// more. Names are short; a long one is never near.
func distance(a, b string, limit int) int {
	const longest = 64
	if len(a) > longest || len(b) > longest || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][longest + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur, prev, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return min(limit, rows[len(a)%3][len(b)])
}
