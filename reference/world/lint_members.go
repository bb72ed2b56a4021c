package world

import (
	"maps"
	"mime"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// typeForm is a media type without its parameters: RFC 6838, section 4.2.
// It is compiled when it is needed first: counted repetitions are large.
var typeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`)
})

func lintMIMEType(member, s string) (found problems) {
	if s == "" {
		return nil
	}
	switch essence, _, err := mime.ParseMediaType(s); {
	case err != nil:
		found.Say(member, "is malformed: %s", strings.TrimPrefix(err.Error(), "mime: "))
	case !typeForm().MatchString(essence):
		found.Say(member, "is malformed: %q is not written type/subtype", clip(s))
	}
	return found
}

// timestamps are the forms of ISO 8601 that are in use.
var timestamps = []string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
	time.DateOnly,
	"20060102T150405Z0700", "20060102T150405", "20060102", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
}

func (a Annotations) warnings() (found problems) {
	for at, who := range yamlfile.Items("audience", a.Audience) {
		if !slices.Contains(Roles(), *who) {
			found.Say(at, "is %q, not user or assistant", clip(*who))
		}
	}
	if a.Priority != nil && !(*a.Priority >= 0 && *a.Priority <= 1) {
		found.Say("priority", "is not between 0 and 1")
	}
	if t := a.LastModified; t != "" && !slices.ContainsFunc(timestamps, func(layout string) bool {
		_, err := time.Parse(layout, t)
		return err == nil
	}) {
		found.Say("lastModified", "is %q, no timestamp of ISO 8601 such as 2025-01-12T15:00:58Z",
			clip(t))
	}
	return found
}

var sizeForm = regexp.MustCompile(`^(any|[1-9][0-9]*x[1-9][0-9]*)$`)

func (icon Icon) warnings() (found problems) {
	scheme, _, _ := strings.Cut(icon.Src, ":")
	switch err := CheckURI(icon.Src); {
	case icon.Src == "":
		found.Say("src", "is missing")
	case err != nil:
		found.Say("src", "is malformed: %v", err)
	case !slices.Contains([]string{"https", "http", "data"}, strings.ToLower(scheme)):
		found.Say("src", "is neither an http or https URL nor a data URI")
	}
	found = append(found, lintMIMEType("mimeType", icon.MIMEType)...)
	for at, size := range yamlfile.Items("sizes", icon.Sizes) {
		if !sizeForm.MatchString(*size) {
			found.Say(at, "is %q, not any or such as 48x48", clip(*size))
		}
	}
	if icon.Theme != "" && icon.Theme != "light" && icon.Theme != "dark" {
		found.Say("theme", "is %q, not light or dark", clip(icon.Theme))
	}
	return found
}

// lintStates finds rules that wait for a state which nothing in the world sets.
func (w World) lintStates() problems {
	set := map[string][]string{}
	become := func(states map[string]string) {
		for scenario, state := range states {
			set[scenario] = append(set[scenario], state)
		}
	}
	become(w.States)
	collect(w, func(part any) problems {
		switch p := part.(type) {
		case operation.Limits:
			become(p.Become)
		case Step:
			become(p.Become)
		}
		return nil
	})
	var found problems
	for rule, r := range yamlfile.Items("rules", w.Rules) {
		for _, scenario := range slices.Sorted(maps.Keys(r.While)) {
			state, at := r.While[scenario], rule+".while."+scenario
			known := set[scenario]
			switch {
			case slices.Contains(known, state) || state == "" && w.States[scenario] == "":
			case len(known) == 0:
				hint := nearest.Question(scenario, slices.Sorted(maps.Keys(set)))
				found.Say(at, "waits for %q, and nothing in this world sets a state of %s%s", clip(state),
					scenario, hint)
			default:
				found.Say(at, "waits for %q, which nothing in this world sets%s", clip(state),
					nearest.Question(state, known))
			}
		}
	}
	return found
}
