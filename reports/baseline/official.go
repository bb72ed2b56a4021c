package baseline

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// expectedFailures is a file of the official conformance suite: scenarios that are known to fail, each as
// SCENARIO or SCENARIO:CHECK.
type expectedFailures struct {
	Server []string `yaml:"server"`
	Client []string `yaml:"client"`
}

// maxShown is how much of a sentence about an entry is shown, in characters.
const maxShown = 400

// isOfficial is how such a file begins, behind comments. No line of a baseline can begin so.
var isOfficial = regexp.MustCompile(
	`^(?:\s*(?:#.*|---.*)?\n)*\s*\{?\s*["']?(?:server|client)["']?\s*:(?:\s|$)`)

// official reads a file of expected failures. An entry covers all requirements that correspond to it; in a
// draft each of them has an entry.
func (p *parser) official(data []byte) {
	var f expectedFailures
	index, err := yamlfile.DecodeTyped(p.file.Name, data, &f)
	if wrong, ok := errors.AsType[*yamlfile.Error](err); ok {
		for _, x := range wrong.Problems {
			p.wrong(x.Line, "%s", safe.Clean(x.Message, maxShown))
		}
		return
	}
	if len(f.Server) > MaxEntries {
		p.wrong(0, "there are more than %d entries", MaxEntries)
		return
	}
	for i, text := range f.Server {
		p.expected(index.At(fmt.Sprintf("server[%d]", i)).Line, text)
	}
	if len(f.Client) > 0 {
		p.note(index.At("client").Line, "the entries under client are about clients, which no run judges")
	}
}

// expected reads one entry.
func (p *parser) expected(line int, text string) {
	scenario, check, single := strings.Cut(text, ":")
	ids, whole, err := p.catalogue.Official(scenario, check)
	if single && check == "" {
		err = errors.New("behind the colon stands the name of a check")
	}
	for old, first := range p.listed {
		if old == text || old == scenario || !single && strings.HasPrefix(old, text+":") {
			err = fmt.Errorf("it is covered by line %d, or covers it: remove one of them", first)
		}
	}
	p.listed[text] = line
	switch {
	case err != nil:
		p.wrong(line, "%s: %s", quote(text), safe.Clean(err.Error(), maxShown))
		return
	case len(ids) == 0:
		p.note(line, "%s of the official suite has no counterpart here: the entry excuses nothing",
			quote(text))
		return
	case !p.draft:
		ids = []string{strings.Join(ids, ",")}
	}
	e := Entry{Line: line, Reason: "expected failure of the official suite: " + text, Partly: !whole}
	for _, e.ID = range ids {
		if p.seen[e.Pattern] == 0 || !p.draft {
			p.seen[e.Pattern] = line
			p.file.Entries = append(p.file.Entries, e)
		}
	}
}

func (p *parser) note(line int, format string, args ...any) {
	p.file.Notes = append(p.file.Notes, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}
