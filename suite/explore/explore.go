// Package explore looks a server over and suggests what a target file for it
// could say: known texts and blobs, URIs that lead nowhere, templates, tools that
// might make a resource change.
//
// It looks at what a short run recorded, so it sees a server exactly as the suite
// does.
package explore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// rows are the requirements whose scenarios walk and read: they are played for
// what they record, not for the verdict.
var rows = map[string]bool{"LIST-01": true, "TMPL-01": true, "READ-01": true, "ERR-01": true}

// Look looks over the server that a target describes. The error is a
// [*engine.UsageError], or says why nothing could be reached.
func Look(ctx context.Context, cfg engine.Config) (found target.Found, err error) {
	cfg.Select = func(r engine.Row) bool { return rows[r.Requirement.ID] }
	t, stop, err := cfg.Target.Serve(ctx, cfg.StartTimeout, nil)
	if err != nil {
		return found, err
	}
	defer stop()
	cfg.Target = t
	r, err := engine.Prepare(ctx, cfg)
	if err != nil {
		return found, err
	}
	if why := r.Unreachable(); why != "" {
		return found, errors.New(why)
	}
	r.Execute(ctx)
	if err := context.Cause(ctx); err != nil {
		return found, err
	}
	var take *engine.Take // of the newest revision
	for _, c := range r.Combinations() {
		take = r.Take(c)
		if !slices.Contains(found.Revisions, c.Revision) {
			found.Revisions = append(found.Revisions, c.Revision)
		}
	}
	found.Subscribe = take.Facts.Declares("resources.subscribe")
	found.ListChanged = take.Facts.Declares("resources.listChanged")
	lists(&found, take)
	contents(&found, take.Recordings[recording.Reads])
	missing(&found, take.Recordings[recording.MissingReads])
	noSuch(&found)
	ask(ctx, cfg, take.Facts, &found)
	return found, nil
}

// lists takes over what was listed.
func lists(found *target.Found, take *engine.Take) {
	found.Complete = named(take.Recordings[recording.WalkResources], "resources", "uri")
	templates := named(take.Recordings[recording.WalkTemplates], "resourceTemplates", "uriTemplate")
	for _, t := range templates {
		if !judge.Has(judge.Template(t)) {
			ft := target.FoundTemplate{Template: t}
			for _, v := range judge.Variables(t) {
				ft.Variables = append(ft.Variables, v.Name)
			}
			found.Templates = append(found.Templates, ft)
		}
	}
}

// named lists the names of what the pages of a walk have in a list, by the member that names an entry.
func named(walk *recording.Recording, list, member string) (all []string) {
	for _, page := range walk.Steps(recording.StepPage) {
		for _, item := range page.Value(list).Array() {
			if name := item.Get(member); judge.IsString(name) {
				all = append(all, name.Str)
			}
		}
	}
	return all
}

// contents picks a text and a blob that can serve as known ones.
func contents(found *target.Found, r *recording.Recording) {
	for _, x := range r.Steps(recording.StepRead) {
		all := x.Value("contents").Array()
		if len(all) != 1 {
			continue
		}
		text, blob := all[0].Get("text"), all[0].Get("blob")
		if judge.IsString(text) && found.TextURI == "" && text.Str != "" {
			found.TextURI, found.TextSample = x.Tags[recording.TagURI], text.Str
			found.TextMIMEType = all[0].Get("mimeType").String()
		}
		if judge.IsString(blob) && found.BlobURI == "" && blob.Str != "" {
			if data, err := judge.Decode(blob.Str); err == nil {
				found.BlobURI, found.BlobSHA, found.BlobSize = x.Tags[recording.TagURI],
					fmt.Sprintf("%x", sha256.Sum256(data)), int64(len(data))
			}
		}
	}
}

// missing takes over the guesses that the server refused.
func missing(found *target.Found, r *recording.Recording) {
	for _, x := range r.Steps(recording.StepGuessed) {
		if x.Failed() {
			found.Missing = append(found.Missing, x.Tags[recording.TagURI])
		}
	}
}

// noSuch makes up a URI like those that are listed, or that a template stands for.
func noSuch(found *target.Found) {
	for _, uri := range found.Complete {
		found.NoSuch = cmp.Or(found.NoSuch, scenario.NoSuch(uri))
	}
	for _, t := range found.Templates {
		found.NoSuch = cmp.Or(found.NoSuch, scenario.NoSuch(t.Template))
	}
}

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
		limits := cfg.Limits.Over(cfg.Target.Limits).Over(target.DefaultLimits)
		s, err := session.Open(ctx, dialer, session.Options{
			Revision: facts.Combination.Revision, Kind: recording.Clean, ID: "init",
			Common: session.Common{Transcript: wire.NewTranscript(wire.Budget{}), Timeout: limits.Timeout,
				Start: limits.StartTimeout},
		})
		if err == nil {
			if facts.Declares("completions") {
				completions(ctx, s, found)
			}
			if facts.Declares("tools") {
				found.Tools = tools(s.Do(ctx, session.Request{Step: "tools", Method: "tools/list"}).Result())
			}
		}
		s.Close(context.WithoutCancel(ctx))
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
			x := s.Do(ctx, session.Request{Step: recording.StepComplete, Method: "completion/complete",
				Params: params})
			for _, value := range x.Value("completion.values").Array() {
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
var change = []string{"update", "set", "write", "edit", "toggle", "add", "put", "create", "touch", "modify",
	"trigger"}

func changes(name string) bool {
	return slices.ContainsFunc(slices.Collect(judge.Words(name)), func(s string) bool {
		return slices.Contains(change, s)
	})
}

// tools are the server's tools that may change a resource, guessed by name, with the
// arguments that they require. One that says that it only reads is none.
func tools(result gjson.Result) []target.FoundTool {
	const most = 20
	var all []target.FoundTool
	for _, t := range result.Get("tools").Array() {
		name := t.Get("name")
		if !judge.IsString(name) || len(all) == most || !changes(name.Str) ||
			t.Get("annotations.readOnlyHint").Type == gjson.True {
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
