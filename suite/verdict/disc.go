package verdict

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// Texts lists the strings of an array.
func Texts(list gjson.Result) []string {
	var all []string
	if list.IsArray() {
		for _, s := range list.Array() {
			if s.Type == gjson.String {
				all = append(all, s.Str)
			}
		}
	}
	return all
}

// CoreType reports whether a result type is one of the core protocol.
func CoreType(t string) bool { return t == "complete" || t == "input_required" }

// Declaration lists the frames in which the target declared its capabilities.
func Declaration(r *recording.Recording) []int {
	for _, s := range r.Sessions {
		if s.Initialize != nil && s.Initialize.Succeeded() {
			return s.Initialize.Evidence()
		}
	}
	for _, x := range r.Exchanges {
		if (x.Method == "server/discover" || x.Method == "initialize") && x.Succeeded() {
			return x.Evidence()
		}
	}
	return nil
}

// Quoted is a name in a sentence, cut to a length that fits there.
func Quoted(name string) string {
	return judge.Brief(gjson.Result{Type: gjson.String, Raw: `"` + strings.ToValidUTF8(name, "\uFFFD") + `"`})
}
