// Package decimal reads numbers as text has them, and writes whole ones, quickly: the spellings that nearly all have. It
// says so when there is another one: blanks round it, leading zeros, more digits than 64 bits hold. Those go the way of
// package strconv, whose values these are bit for bit.
//
// There are functions for one number, and some for a column of them, which stop at the first that is spelled otherwise.
//
// # Memory
//
// A number is text[s:e] of a longer text, of which eight bytes behind the number are looked at too, whatever they are: e+8 is
// at most len(text); for columns there are [Behind] bytes. Nothing is allocated.
package decimal
