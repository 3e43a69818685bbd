// Package half converts IEEE 754 binary16, the float16 of a column, from and to the floats that Go has.
package half
