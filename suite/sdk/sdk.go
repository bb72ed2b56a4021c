// Package sdk knows what common SDKs for MCP servers do as they come, so that a finding can say that its
// author finds the mistake in the SDK, and not in the server.
package sdk

import (
	"bytes"
	_ "embed"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/tidwall/gjson"
)

// SDK is a major release of an SDK.
type SDK struct {
	Name string `yaml:"name"`
	// Package is its name in the registry, Seen the release in which its deviations were seen.
	Package string `yaml:"package"`
	Seen    string `yaml:"seen"`
	// Servers are those whose rulings show the deviations. They consist of hardly more than the SDK.
	Servers []string `yaml:"servers"`
	// Signs are errors that all have to occur where the SDK is used, Without those of which none may.
	Signs   []*Sign `yaml:"signs"`
	Without []*Sign `yaml:"without"`
	// Red are requirements of which the target breaks one at least in each run that can show the signs.
	Red   []string    `yaml:"red"`
	Known []Deviation `yaml:"known"`
}

// Sign is an error that an SDK words itself.
type Sign struct {
	Code int64 `yaml:"code"`
	// Message and Data are regular expressions, the latter for the raw JSON of the member; nil means any.
	Message *regexp.Regexp `yaml:"message"`
	Data    *regexp.Regexp `yaml:"data"`
}

// fits reports whether an error is worded so.
func (s *Sign) fits(e gjson.Result) bool {
	return e.Get("code").Raw == fmt.Sprint(s.Code) && fits(s.Message, e.Get("message").Str) &&
		fits(s.Data, e.Get("data").Raw)
}

func fits(pattern *regexp.Regexp, text string) bool {
	return pattern == nil || pattern.MatchString(text)
}

// Deviation is what an SDK does as it comes, against a requirement.
type Deviation struct {
	ID         string   `yaml:"id"`
	Transports []string `yaml:"transports"`
	// Causes are those of the verdicts that it leads to.
	Causes []string `yaml:"causes"`
	// Actual is a regular expression for what was seen, where the cause alone would fit what the author of a
	// server does as well; nil means any.
	Actual *regexp.Regexp `yaml:"actual"`
	// Does says it in a sentence; Issue is the URL under which it was reported, if that is known.
	Does  string `yaml:"does"`
	Issue string `yaml:"issue"`
}

//go:embed sdks.yaml
var text []byte

// All lists the SDKs that are known. It must not be changed.
var All = sync.OnceValue(func() []SDK {
	var file struct {
		SDKs []SDK `yaml:"sdks"`
	}
	if _, err := yamlfile.Decode("suite/sdk/sdks.yaml", text, &file); err != nil {
		panic(err) // the file is embedded, and read by a test
	}
	return file.SDKs
})

// longest is how many bytes of a message are looked at: errors of SDKs are short.
const longest = 1 << 16

// Recognize returns the SDK whose signs are among the messages of a server; nil if none is known to have
// them.
func Recognize(messages iter.Seq[[]byte], red func(id string) bool) *SDK {
	all := All()
	seen := map[*Sign]bool{}
	for m := range messages {
		if len(m) > longest || !bytes.Contains(m, []byte(`"error"`)) {
			continue
		}
		e := gjson.GetBytes(m, "error")
		for _, of := range all {
			for _, s := range slices.Concat(of.Signs, of.Without) {
				seen[s] = seen[s] || s.fits(e)
			}
		}
	}
	for i := range all {
		s := &all[i]
		if !slices.ContainsFunc(s.Signs, func(s *Sign) bool { return !seen[s] }) &&
			!slices.ContainsFunc(s.Without, func(s *Sign) bool { return seen[s] }) &&
			(len(s.Red) == 0 || slices.ContainsFunc(s.Red, red)) {
			return s
		}
	}
	return nil
}

// Explains returns a sentence if the SDK leads to a red verdict on a requirement, for a cause, as it comes;
// else it is empty.
func (s *SDK) Explains(id, transport, cause, actual string) string {
	for _, d := range s.Known {
		if d.ID == id && slices.Contains(d.Transports, transport) && slices.Contains(d.Causes, cause) &&
			fits(d.Actual, actual) {
			said := fmt.Sprintf("So does the %s as it comes (%s %s): %s", s.Name, s.Package, s.Seen, d.Does)
			if d.Issue != "" {
				said += " See " + d.Issue
			}
			return said
		}
	}
	return ""
}
