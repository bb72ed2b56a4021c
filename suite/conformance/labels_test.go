package conformance

import (
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	labels := []string{"rev:2025-11-25", "transport:http", "level:MUST", "area:PAGE", "id:PAGE-02",
		"profile:pagination"}
	for expression, want := range map[string]bool{
		"rev:2025-11-25":                       true,
		"rev:2025-06-18":                       false,
		"id:PAGE-02 || id:PAGE-03":             true,
		"rev:2025-11-25 && !area:SUB":          true,
		"rev:2025-11-25 && !(area:PAGE)":       false,
		"area:PAGE, area:READ":                 true,
		"area: containsAny {PAGE, LIST}":       true,
		"level:must":                           true,
		"/id:PAGE-0[0-9]/":                     true,
		"transport:stdio || profile:templates": false,
	} {
		filter, err := Filter(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := filter(labels); got != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for expression, want := range map[string]string{
		"":                       "empty",
		"  ":                     "empty",
		"colour:red":             `uses "colour:red"`,
		"smoke":                  `uses "smoke"`,
		"rev:2025-11-25 && (":    "cannot be understood: at character 19: Mismatched",
		"area:PAGE &&":           "cannot be understood: it ends where a label is expected",
		"aera:PAGE":              "did you mean area:PAGE?",
		"area:PAGEE":             "did you mean PAGE?",
		"rev:2025-11-26":         "did you mean 2025-11-25",
		"transport:pigeon":       "there are stdio, http, sse",
		"level:mustt":            "did you mean MUST?",
		"id:PAGE-2":              "PAGE-02",
		"profile:nothing":        "there are core, pagination",
		"rev:2025-11-25 && !foo": `uses "foo"`,
	} {
		_, err := Filter(expression)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v", expression, err)
		}
	}
}
