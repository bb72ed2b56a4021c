package matcher_test

import (
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/onsi/gomega"
)

func Example() {
	g := gomega.NewGomega(func(message string, _ ...int) { fmt.Println(message) })
	reply := `{"jsonrpc":"2.0","id":1,"result":{"contents":[]}}`
	g.Expect(reply).To(matcher.BeErrorReply(-32602))
	// Output:
	// expected: a JSON-RPC error with code -32602
	// actual:   a result ({"contents":[]})
}

func ExampleEndAndRepeatNothing() {
	g := gomega.NewGomega(func(message string, _ ...int) { fmt.Println(message) })
	g.Expect([]string{
		`{"result":{"resources":[{"uri":"a:1"}],"nextCursor":"2"}}`,
		`{"result":{"resources":[{"uri":"a:1"}]}}`,
	}).To(matcher.EndAndRepeatNothing())
	// Output:
	// expected: pages that end and repeat nothing
	// actual:   "a:1" stands on page 1 and on page 2
}
