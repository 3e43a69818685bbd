package main

import (
	"github.com/spf13/pflag"

	"github.com/colstore/colstore-go"
)

// lockFlag is --lock of the commands that write.
type lockFlag struct {
	policy colstore.LockPolicy
	given  bool
}

func (f *lockFlag) register(s *pflag.FlagSet) {
	s.Var(f, "lock", "the output's lock against other writers: auto (a warning where there are none), off, required")
}

func (*lockFlag) Type() string   { return "POLICY" }
func (*lockFlag) String() string { return "" }

// Set implements pflag.Value.
func (f *lockFlag) Set(s string) (err error) {
	f.policy, err = colstore.ParseLockPolicy(s)
	f.given = true
	return err
}
