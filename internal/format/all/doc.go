// Package all is the table of the formats there are.
package all
