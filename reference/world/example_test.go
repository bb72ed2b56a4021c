package world_test

import (
	"fmt"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Example is a world with a bit of everything: see example.yaml, or what
// "mockserver worlds example" prints.
func ExampleParse() {
	w, err := world.Parse("library.yaml", []byte(world.Example))
	fmt.Println(len(w.Resources), len(w.Templates), w.Lint(), err)
	// Output: 505 1 [] <nil>
}
