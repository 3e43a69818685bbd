//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package colstore

// Stored bytes are little-endian and are viewed in place; a big-endian host would misread every one of them, so it is
// refused here, at compile time.
const _ = "colstore needs a little-endian host" + 1
