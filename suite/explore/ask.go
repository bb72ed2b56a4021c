package explore

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// ask asks the server on a session of its own what the short run does not tell: what
// completion suggests, and which tools there are. No tool is called: nobody knows what
// it would do.
func ask(ctx context.Context, cfg engine.Config, facts *recording.Facts, found *target.Found) {
	if !facts.Declares("completions") && !facts.Declares("tools") {
		return
	}
	for i := range cfg.Target.Endpoints {
		e := &cfg.Target.Endpoints[i]
		if t := e.Transport(); t != "" && t != facts.Combination.Transport {
			continue
		}
		dialer, err := e.Dialer(target.DialOptions{Transport: facts.Combination.Transport})
		if err != nil {
			continue
		}
		s, err := session.Open(ctx, dialer, session.Options{
			Revision: facts.Combination.Revision, Kind: recording.Clean, ID: "init", Transcript: wire.NewTranscript(wire.Budget{}),
			Timeout: cmp.Or(cfg.Timeout, 10*time.Second), Start: cmp.Or(cfg.Start, 30*time.Second),
		})
		if err == nil {
			if facts.Declares("completions") {
				completions(ctx, s, found)
			}
			if facts.Declares("tools") {
				found.Tools = tools(s.Do(ctx, session.Request{Step: "tools", Method: "tools/list"}).Result())
			}
		}
		shut, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		s.Close(shut)
		cancel()
		return
	}
}

// asked bounds the questions for completions, and the values that are kept of an answer.
const asked, keptValues = 20, 3

// completions asks what completion suggests for the variables of the templates, one
// after the other, each with what was suggested for those before it.
func completions(ctx context.Context, s *session.Session, found *target.Found) {
	n := 0
	for _, t := range found.Templates {
		chosen := map[string]string{}
		for _, v := range t.Variables {
			if n++; n > asked || !s.Alive() {
				return
			}
			c := target.Completion{Template: t.Template, Argument: v}
			params := map[string]any{
				"ref":      map[string]any{"type": "ref/resource", "uri": t.Template},
				"argument": map[string]any{"name": v, "value": ""},
			}
			if len(chosen) > 0 && s.Revision().Since(requirement.R20250618) {
				c.Context = maps.Clone(chosen)
				params["context"] = map[string]any{"arguments": c.Context}
			}
			x := s.Do(ctx, session.Request{Step: recording.StepComplete, Method: "completion/complete", Params: params})
			for _, value := range x.Result().Get("completion.values").Array() {
				if judge.IsString(value) && value.Str != "" && len(c.Values) < keptValues {
					c.Values = append(c.Values, value.Str)
				}
			}
			if len(c.Values) > 0 {
				chosen[v] = c.Values[0]
				found.Completions = append(found.Completions, c)
			}
		}
	}
}

// change are the words in the name of a tool that suggest that it changes something.
var change = []string{"update", "set", "write", "edit", "toggle", "add", "put", "create", "touch", "modify", "trigger"}

// word is a part of a name in any of the usual notations.
var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// changes reports whether the name of a tool suggests that it changes something.
func changes(name string) bool {
	return slices.ContainsFunc(word.FindAllString(name, -1), func(s string) bool { return slices.Contains(change, strings.ToLower(s)) })
}

// tools are the server's tools that may change a resource, guessed by name, with the
// arguments that they require. One that says that it only reads is none.
func tools(result gjson.Result) []target.FoundTool {
	const most = 20
	var all []target.FoundTool
	for _, t := range result.Get("tools").Array() {
		name := t.Get("name")
		if !judge.IsString(name) || len(all) == most || !changes(name.Str) || t.Get("annotations.readOnlyHint").Type == gjson.True {
			continue
		}
		tool := target.FoundTool{Name: name.Str}
		for _, required := range t.Get("inputSchema.required").Array() {
			if judge.IsString(required) {
				tool.Required = append(tool.Required, required.Str)
			}
		}
		all = append(all, tool)
	}
	return all
}
