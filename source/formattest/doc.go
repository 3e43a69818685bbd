// Package formattest holds the tests that every file format should pass, one's own as well as those of this module.
//
// # Basics
//
// A format is registered, then [Run] puts it through everything that the rest of the module relies on:
//
//	func TestFormat(t *testing.T) {
//		if err := source.Register(myFormat); err != nil {
//			t.Fatal(err)
//		}
//		formattest.Run(t, formattest.Config{Format: "my", Truncation: true})
//	}
//
// It writes tables of all dtypes that the format stores and reads them back whole, in pieces, by ranges and columns, from
// several goroutines; it holds what a source declares to cost against what it holds; it breaks off writing in every way and
// damages files in hundreds of ways. What a format promises beyond the minimum, its [Config] says.
//
// # Caveats
//
// The suite is not told what a file should look like inside. That others read the files is for tests with those others.
package formattest
