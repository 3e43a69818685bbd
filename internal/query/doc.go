// Package query reads the expression language, of predicates and of computed columns alike, into a syntax tree.
//
// # Basics
//
// [Parse] turns a text into a [Node] and [Print] turns a node into its canonical text, which parses to an equal tree.
// Every node knows the bytes of the text it came from, so that whoever gives it a meaning can point at what is wrong.
// Nothing is resolved here: a [Name] need not be a column, a [Call] may name no function, 1 + 'a' is a tree as good as
// any.
//
// The language is that of Python expressions with the same precedence, less what has no meaning for columns (attributes,
// subscripts, lambda, comprehensions, is, shifts, ...), and with
//
//   - @name, a parameter;
//   - `any text`, a column whose name is no identifier or is a reserved word; a back-quote inside is doubled;
//   - calls of plain names with arguments by position.
//
// # Memory
//
// A tree owns what it holds, but names may share the bytes of the text. Time and memory are linear in the text, which
// may have 1 MiB, 200 levels of nesting, 10,000 arithmetic operators and 4,096 digits in one number; so no tree is
// deeper than 12,000 nodes, and recursion over one is safe.
//
// # Caveats
//
// Where Python only warns, this package refuses: an unknown escape in a text ('\d'), an octal escape above \377, a
// number that runs into a word (1or x). It also refuses complex numbers, halves of surrogate pairs and \N{...}.
// Identifiers stay as they are written, without Unicode normalization. A line break within a text is \n, however the
// file spells it; within a name in back-quotes it stays.
package query
