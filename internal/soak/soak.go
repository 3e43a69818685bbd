package soak

import (
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that asks for full counts: a whole number that multiplies them; unset or 0 asks
// for few.
const Variable = "COLSTORE_SOAK"

// raceShare is what remains of the few under the race detector.
const raceShare = 10

// Count returns how many cases a test tries: few by default, full × COLSTORE_SOAK where that is set. It is at least 1.
func Count(tb testing.TB, few, full int) int {
	tb.Helper()
	if text, ok := os.LookupEnv(Variable); ok {
		times, err := strconv.Atoi(text)
		if err != nil || times < 0 {
			tb.Fatalf("%s=%s is no whole number", Variable, text)
		}
		if times > 0 {
			return max(1, full*times)
		}
	}
	if race {
		few /= raceShare
	}
	return max(1, few)
}
