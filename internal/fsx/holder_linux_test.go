package fsx

import "testing"

func TestLockHolder(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 08:01:7 0 EOF
2: -> FLOCK  ADVISORY  WRITE 12 08:01:7 0 EOF
3: FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF
4: FLOCK  ADVISORY  WRITE x 08:01:7 0 EOF
5: FLOCK  ADVISORY
6: FLOCK  ADVISORY  WRITE 14 08:01:7 0 EOF
`
	for file, want := range map[string]int{"08:01:7": 14, "08:01:77": 13, "08:02:7": 0, "": 0} {
		if got := lockHolder([]byte(locks), file); got != want {
			t.Errorf("%q: process %d, want %d", file, got, want)
		}
	}
}
