package uri_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/uri"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// TestLeakedPaths: what the request named is no secret, anything else is.
func TestLeakedPaths(t *testing.T) {
	for message, want := range map[string]int{
		"ENOENT: /home/ci/app/data/x":                           1,
		"no such file: /srv/notes/x":                            0,
		"not found":                                             0,
		"Traceback (most recent call last)":                     1,
		"boom\\n    at read (/usr/lib/app/index.js:10:5)":       1,
		"Resource not found; see https://example.com/docs/home": 0,
		"no such file: /SRV//notes/x":                           0,
		`no such file: \"/srv/notes/x\"`:                        0,
		"cannot open /srv/notes/y":                              1,
	} {
		line := areatest.TaggedRead("guessed", `{"uri":"file:///srv/notes/x"}`, "",
			`{"code":-32603,"message":"`+message+`"}`)
		facts := areatest.Stdio(areatest.ModernOne, `{}`)
		v := verdict.New(&recording.Recording{Facts: facts}, nil)
		uri.LeakedPaths(v, rt.New(recording.MissingReads, facts, line).Exchanges)
		if len(v.Observations) != want {
			t.Errorf("%s: %d observations", message, len(v.Observations))
		}
	}
}

// TestLeakedPathsInData: a URI that the data of an error repeats is none where its slashes are escaped.
func TestLeakedPathsInData(t *testing.T) {
	line := areatest.TaggedRead("guessed", `{"uri":"note://x"}`, "",
		`{"code":-32602,"message":"Not found","data":{"uri":"note:\/\/x"}}`)
	facts := areatest.Stdio(areatest.ModernOne, `{}`)
	v := verdict.New(&recording.Recording{Facts: facts}, nil)
	if uri.LeakedPaths(v, rt.New(recording.MissingReads, facts, line).Exchanges); len(v.Observations) > 0 {
		t.Errorf("%+v", v.Observations)
	}
}
