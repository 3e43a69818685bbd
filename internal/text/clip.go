package text

import "unicode/utf8"

// clipped is how much of a text a message shows, in bytes.
const clipped = 60

// Clip returns a text for a message: its beginning if it is long.
func Clip[T string | []byte](s T) string {
	if len(s) <= clipped {
		return string(s)
	}
	n := clipped
	for n > clipped-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return string(s[:n]) + "…"
}
