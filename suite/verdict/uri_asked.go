package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// ReadOf names a read by the URI as it was sent.
func ReadOf(x *recording.Exchange) string { return "a read of " + judge.Brief(x.Param("uri")) }

// Withstood notes a violation if a probe took the target down or was never
// answered, and reports whether there is an answer to look at.
func Withstood(v *Verdict, x *recording.Exchange, about string) bool {
	switch {
	case x.Fatal:
		v.That(false, "an error, and a target that goes on serving", "the target was lost over "+about+", twice"+matcher.InBrackets(x.Reason), x.Evidence()...)
		v.Hint("catch what goes wrong while a request is handled, and answer it with an error")
		return false
	case x.Outcome == recording.Silent:
		v.That(false, "an answer", matcher.Describe(x)+" to "+about, x.Evidence()...)
		v.Hint("answer every request, if need be with an error")
		return false
	}
	return v.Answered(x)
}

// EmptyContents reports whether a read succeeded with nothing in it.
func EmptyContents(x *recording.Exchange) bool {
	c := x.Result().Get("contents")
	return x.Succeeded() && c.IsArray() && len(c.Array()) == 0
}

// Yields reports whether a read succeeded with something in it.
func Yields(x *recording.Exchange) bool {
	return x.Succeeded() && len(x.Result().Get("contents").Array()) > 0
}

// Bodies are the texts and blobs of a read.
func Bodies(x *recording.Exchange) []string {
	var all []string
	for _, c := range ContentsOf(x) {
		all = append(all, c.Get("text").Raw+" "+c.Get("blob").Raw)
	}
	return all
}
