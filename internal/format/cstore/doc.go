// Package cstore makes the engine of the .cstore format one of the formats.
package cstore
