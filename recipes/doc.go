// Package recipes reads recipes: YAML files that say where rows come from, what happens to them and where they go.
//
// # Basics
//
// [Load] turns a file into a [Recipe], whose Pipeline is the value a Go program would build itself; package runtime runs
// it. Nothing but the recipe is read: which columns the input has, and of what types, is found out when runtime.Prepare
// opens it, and [Recipe.Locate] gives what is wrong then its place in the file.
//
//	r, err := recipes.Load("flights.yaml", &recipes.Options{Params: map[string]any{"late": "30"}})
//	if err != nil {
//		return err // all problems of the file, each with line, column and a caret
//	}
//	report, err := runtime.Run(ctx, r.Pipeline, nil)
//	if err != nil {
//		return r.Locate(err)
//	}
//
// Fields are rows of tables (fromShape, outputShape, stepKinds, …): a new one is a name and a function that reads its
// value. A field without a function belongs to the language but not to this version, and says so.
//
// # Caveats
//
// A recipe has at most 1 MiB, 100 levels of nesting, 50 levels of aliases, and aliases that stand for at most 100,000
// values; what is beyond that is refused before it costs time or memory. The YAML of the file is that part on which YAML
// 1.1 and 1.2 agree: scalars that the two read differently (0755, 1_000, True) are refused where it would matter.
package recipes
