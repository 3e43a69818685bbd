package numa

import (
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
)

// A Policy says on which nodes pages are placed that are touched first. It changes speed only.
type Policy uint8

// The policies. A machine of one node has no choice, and is asked nothing.
const (
	Auto       Policy = iota // Interleave on several nodes
	Interleave               // page by page over all nodes, so that their memory controllers share the load
	Local                    // on the node of the CPU that touches a page first, which is what the kernel does on its own
)

// policyNames are the names of the policies.
var policyNames = []string{"auto", "interleave", "local"}

func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// ParsePolicy returns the policy of a name.
//
// Errors: colstore.ErrOption, with the names there are.
func ParsePolicy(name string) (Policy, error) {
	for i, n := range policyNames {
		if n == name {
			return Policy(i), nil
		}
	}
	return 0, fmt.Errorf("%w: placement of memory %q; there are %s", colstore.ErrOption, name, strings.Join(policyNames, ", "))
}

// MarshalText returns the name.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// On returns what a policy comes to on a machine: Interleave or Local.
func (p Policy) On(t *Topology) Policy {
	if p == Local || len(t.memory()) < 2 {
		return Local
	}
	return Interleave
}
