package kernel

// RankWords is how many words of a bitmap lie between two ranks.
const RankWords = 8

// Ranks sets dst to the number of set bits before each RankWords-th word of a, and returns that of all.
//
//	for i := range dst {
//		dst[i] = Count(a[:i*RankWords])
//	}
//
// Shapes: len(dst) = len(a) / RankWords, rounded up.
func Ranks(dst []int64, a []uint64) (n int64) {
	dst = dst[:(len(a)+RankWords-1)/RankWords]
	groups, n := ranksFast(dst, a)
	a = a[groups*RankWords:]
	for i := range dst[groups:] {
		dst[groups+i] = n
		some := a[:min(RankWords, len(a))]
		n += int64(Count(some))
		a = a[len(some):]
	}
	return n
}
