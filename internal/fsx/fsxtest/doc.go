// Package fsxtest is a file system whose n-th call fails, for tests of everything that writes.
package fsxtest
