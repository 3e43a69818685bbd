package meta

import "encoding/binary"

// IsStream reports whether a file that begins with these bytes is a stream: its first message is a schema. Some 40 bytes
// tell, if there are that many; of a stream from before Arrow 0.15, whose messages have no mark, they tell nothing.
func IsStream(head []byte) bool {
	const mark, root = 0xffffffff, 8
	u32 := func(at int) int {
		if at < 0 || at > len(head)-4 {
			return -1
		}
		return int(int32(binary.LittleEndian.Uint32(head[at:])))
	}
	u16 := func(at int) int {
		if at < 0 || at > len(head)-2 {
			return 0
		}
		return int(binary.LittleEndian.Uint16(head[at:]))
	}
	if len(head) < root || binary.LittleEndian.Uint32(head) != mark || u32(4) <= 0 || u32(4)%8 != 0 || u32(root) <= 0 {
		return false
	}
	table := root + u32(root)
	if table > len(head)-4 {
		return false
	}
	// The places of the version and of the kind of the header stand in the table's own table.
	places := table - u32(table)
	if places < root || places >= table || u16(places) < 8 {
		return false
	}
	version, kind := u16(places+4), u16(places+6)
	if kind == 0 || table+kind >= len(head) || head[table+kind] != headerSchema {
		return false
	}
	return version > 0 && u16(table+version) >= oldest && u16(table+version) <= 4
}
