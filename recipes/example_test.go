package recipes_test

import (
	"fmt"

	"github.com/colstore/colstore-go/recipes"
)

func ExampleParse() {
	r, err := recipes.Parse("skim.yaml", []byte(`
recipe: 1
params: {pt_min: 25.0}
from: ntuples/*.parquet
steps:
  - cuts:
      - trigger: hlt_mu24
      - muon pT: pt > @pt_min
to: out/skim.cstore
`), &recipes.Options{Params: map[string]any{"pt_min": "30"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Name, r.Params["pt_min"], r.Pipeline.Input.Paths, r.Pipeline.Branches[0].Output.Path, r.Pipeline.Frame.Cuts())
	// Output: skim 30 [ntuples/*.parquet] out/skim.cstore 2
}

// All problems of a recipe are found at once, each with its place.
func ExampleErrors() {
	_, err := recipes.Parse("clean.yaml", []byte(`recipe: 1
from: raw/*.parquet
steps:
  - where: pt > @pt_min
  - asign: {log_pt: log(pt)}
to: clean.cstore
`), nil)
	fmt.Println(err)
	// Output:
	// clean.yaml:4:17: error R303: no parameter "pt_min"; the recipe has no params
	//     4 |   - where: pt > @pt_min
	//       |                 ^^^^^^^
	//
	// clean.yaml:5:5: error R102: unknown step "asign"; did you mean "assign"?
	//     5 |   - asign: {log_pt: log(pt)}
	//       |     ^^^^^
}
