package fault

import (
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func pageCode() code {
	return code{
		"page-13-pages-accumulate": hook.OnMethod(hook.MethodList, firstPageAgain),
	}
}

// firstPageAgain puts the entries of the first page before those of each other one.
func firstPageAgain(c hook.Calling) *hook.Reply {
	r := c.Next()
	if c.Param("cursor") == nil || r == nil || r.Error != nil {
		return r
	}
	first := c.Handle(c.With("cursor", nil))
	if first == nil || first.Error != nil {
		return r
	}
	old, _ := first.Result["resources"].([]any)
	own, _ := r.Result["resources"].([]any)
	r.Result["resources"] = append(append([]any{}, old...), own...)
	return r
}
