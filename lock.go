package colstore

import "fmt"

// LockPolicy says what a writer does about the advisory lock of its target.
type LockPolicy uint8

// The policies. The zero value is the default.
const (
	LockAuto     LockPolicy = iota // locked; where the file system has no locks, one warning instead
	LockOff                        // not locked: the caller knows that nobody else writes
	LockRequired                   // locked, or an error
)

var lockPolicies = []string{"auto", "off", "required"}

// ParseLockPolicy reads "auto", "off" or "required".
//
// Errors: ErrOption with the choices.
func ParseLockPolicy(s string) (LockPolicy, error) {
	for i, name := range lockPolicies {
		if s == name {
			return LockPolicy(i), nil
		}
	}
	return LockAuto, fmt.Errorf("%w: a lock policy is auto, off or required, not %q", ErrOption, s)
}

// String returns the policy's word.
func (p LockPolicy) String() string {
	if int(p) < len(lockPolicies) {
		return lockPolicies[p]
	}
	return fmt.Sprintf("LockPolicy(%d)", uint8(p))
}
