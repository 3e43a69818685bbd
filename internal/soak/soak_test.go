package soak_test

import (
	"testing"

	"github.com/colstore/colstore-go/internal/soak"
)

func TestCount(t *testing.T) {
	for value, want := range map[string]int{"1": 5000, "3": 15000} {
		t.Setenv(soak.Variable, value)
		if got := soak.Count(t, 200, 5000); got != want {
			t.Errorf("%s=%s: %d, want %d", soak.Variable, value, got, want)
		}
	}
	t.Setenv(soak.Variable, "0")
	if got := soak.Count(t, 200, 5000); got != 200 && got != 20 {
		t.Errorf("%s=0: %d, want the few", soak.Variable, got)
	}
	if got := soak.Count(t, 0, 5000); got != 1 {
		t.Errorf("%d cases, want at least one", got)
	}
}
