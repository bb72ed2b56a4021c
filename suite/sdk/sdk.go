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
	Signs   []Sign `yaml:"signs"`
	Without []Sign `yaml:"without"`
	// Red are requirements of which the target breaks one at least in each run that can show the signs.
	Red   []string    `yaml:"red"`
	Known []Deviation `yaml:"known"`
}

// Sign is an error that an SDK words itself.
type Sign struct {
	Code int64 `yaml:"code"`
	// Message and Data are regular expressions, the latter for the raw JSON of the member; empty means any.
	Message string `yaml:"message"`
	Data    string `yaml:"data"`
}

// Deviation is what an SDK does as it comes, against a requirement.
type Deviation struct {
	ID         string   `yaml:"id"`
	Transports []string `yaml:"transports"`
	// Causes are those of the verdicts that it leads to.
	Causes []string `yaml:"causes"`
	// Actual is a regular expression for what was seen, where the cause alone would fit what the author of a
	// server does as well; empty means any.
	Actual string `yaml:"actual"`
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
	signs := map[*Sign]matcher{}
	for i := range all {
		for _, list := range [][]Sign{all[i].Signs, all[i].Without} {
			for j := range list {
				signs[&list[j]] = matcher{regexp.MustCompile(list[j].Message),
					regexp.MustCompile(list[j].Data)}
			}
		}
	}
	seen := map[*Sign]bool{}
	for m := range messages {
		if len(m) > longest || !bytes.Contains(m, []byte(`"error"`)) {
			continue
		}
		e := gjson.GetBytes(m, "error")
		for s, match := range signs {
			seen[s] = seen[s] || match.error(s, e)
		}
	}
	for i := range all {
		s := &all[i]
		if has(s.Signs, seen) == len(s.Signs) && has(s.Without, seen) == 0 &&
			(len(s.Red) == 0 || slices.ContainsFunc(s.Red, red)) {
			return s
		}
	}
	return nil
}

// matcher holds the regular expressions of a sign.
type matcher struct{ message, data *regexp.Regexp }

func (m matcher) error(s *Sign, e gjson.Result) bool {
	return e.Get("code").Raw == fmt.Sprint(s.Code) && m.message.MatchString(e.Get("message").Str) &&
		m.data.MatchString(e.Get("data").Raw)
}

// has counts the signs that were seen.
func has(signs []Sign, seen map[*Sign]bool) (n int) {
	for i := range signs {
		if seen[&signs[i]] {
			n++
		}
	}
	return n
}

// Explains returns a sentence if the SDK leads to a red verdict on a requirement, for a cause, as it comes;
// else it is empty.
func (s *SDK) Explains(id, transport, cause, actual string) string {
	for _, d := range s.Known {
		if d.ID == id && slices.Contains(d.Transports, transport) && slices.Contains(d.Causes, cause) &&
			regexp.MustCompile(d.Actual).MatchString(actual) {
			said := fmt.Sprintf("So does the %s as it comes (%s %s): %s", s.Name, s.Package, s.Seen, d.Does)
			if d.Issue != "" {
				said += " See " + d.Issue
			}
			return said
		}
	}
	return ""
}
