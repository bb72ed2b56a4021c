// Package explore looks a server over and suggests what a target file for it
// could say: known texts and blobs, URIs that lead nowhere, templates, tools that
// might make a resource change.
//
// It looks at what a short run recorded, so it sees a server exactly as the suite
// does.
package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// rows are the requirements whose scenarios walk and read: they are played for
// what they record, not for the verdict.
var rows = map[string]bool{"LIST-01": true, "TMPL-01": true, "READ-01": true, "ERR-01": true}

// Look looks over the server that a target describes. The error is a
// [*engine.UsageError], or says why nothing could be reached.
func Look(ctx context.Context, cfg engine.Config) (target.Found, error) {
	cfg.Select = func(r engine.Row) bool { return rows[r.Requirement.ID] }
	r, err := engine.Prepare(ctx, cfg)
	if err != nil {
		return target.Found{}, err
	}
	if why := r.Unreachable(); why != "" {
		return target.Found{}, errors.New(why)
	}
	r.Execute(ctx)
	if err := context.Cause(ctx); err != nil {
		return target.Found{}, err
	}
	found := target.Found{}
	served := map[requirement.Revision]bool{}
	for _, c := range r.Combinations() {
		if !served[c.Revision] {
			served[c.Revision] = true
			found.Revisions = append(found.Revisions, c.Revision)
		}
	}
	all := r.Combinations()
	newest := all[len(all)-1]
	take := r.Take(newest)
	found.Subscribe = take.Facts.Declares("resources.subscribe")
	found.ListChanged = take.Facts.Declares("resources.listChanged")
	lists(&found, take)
	contents(&found, take.Recordings[recording.Reads])
	missing(&found, take.Recordings[recording.MissingReads])
	ask(ctx, cfg, take.Facts, &found)
	return found, nil
}

// lists takes over what was listed.
func lists(found *target.Found, take *engine.Take) {
	if r := take.Recordings[recording.WalkResources]; r != nil {
		for _, page := range r.Steps(recording.StepPage) {
			for _, item := range page.Result().Get("resources").Array() {
				if uri := item.Get("uri"); judge.IsString(uri) {
					found.Complete = append(found.Complete, uri.Str)
				}
			}
		}
	}
	if r := take.Recordings[recording.WalkTemplates]; r != nil {
		for _, page := range r.Steps(recording.StepPage) {
			for _, item := range page.Result().Get("resourceTemplates").Array() {
				if t := item.Get("uriTemplate"); judge.IsString(t) && !judge.Has(judge.Template(t.Str)) {
					ft := target.FoundTemplate{Template: t.Str}
					for _, v := range judge.Variables(t.Str) {
						ft.Variables = append(ft.Variables, v.Name)
					}
					found.Templates = append(found.Templates, ft)
				}
			}
		}
	}
}

// contents picks a text and a blob that can serve as known ones.
func contents(found *target.Found, r *recording.Recording) {
	if r == nil {
		return
	}
	for _, x := range r.Steps(recording.StepRead) {
		all := x.Result().Get("contents").Array()
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
				sum := sha256.Sum256(data)
				found.BlobURI, found.BlobSHA, found.BlobSize = x.Tags[recording.TagURI], hex.EncodeToString(sum[:]), int64(len(data))
			}
		}
	}
}

// missing takes over the guesses that the server refused.
func missing(found *target.Found, r *recording.Recording) {
	if r == nil {
		return
	}
	for _, x := range r.Steps(recording.StepGuessed) {
		if x.Failed() {
			found.Missing = append(found.Missing, x.Tags[recording.TagURI])
		}
	}
}
