package numa

import "os"

// Read returns the topology of this machine.
func Read() (*Topology, error) { return ReadFrom(os.DirFS("/")) }
