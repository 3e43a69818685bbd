package query_test

import (
	"errors"
	"fmt"

	"github.com/colstore/colstore-go/internal/query"
)

func ExampleParse() {
	n, err := query.Parse("(0.1 < iso) & (`n jets` >= @least)")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(query.Print(n))

	_, err = query.Parse("pt > 30 && abs(eta) < 2.5")
	if e, ok := errors.AsType[*query.Error](err); ok {
		fmt.Println(e)
		fmt.Println(e.Caret())
	}
	// Output:
	// (0.1 < iso) & (`n jets` >= @least)
	// at column 9: use and, or &
	// pt > 30 && abs(eta) < 2.5
	//         ^^
}
