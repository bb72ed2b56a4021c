package scenario

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	odduris "github.com/mcpcheck/mcpcheck/fixtures/uris"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// The bounds of what is read out of the corpus: how many requests are under way at
// once, when no further ones are sent, which an ordinary target does not come to on a busy
// machine either, but how many are in any case, and how many of them may cost a session, or
// stay unanswered, before that is enough.
const (
	corpusWidth = 16
	corpusTime  = 10 * time.Second
	corpusLeast = 2 * corpusWidth
	corpusHurt  = 3
	// mostOfURI is how much of a URI is held against templates.
	mostOfURI = 4 << 10
)

// URIRead is a read in a row of many, such as one that tries to leave a root.
type URIRead struct {
	Step recording.Step
	URI  string
	Tags recording.Tags
}

// readAll reads one URI after the other, several at a time. The client goes on in a
// fresh session when one was lost; which read did it has been found out then.
func readAll(c *Client, all []URIRead) {
	start := c.Transcript.Now()
	hurt := 0
	for at := 0; at < len(all); at += corpusWidth {
		switch {
		case c.Err() != nil:
			return
		case hurt >= corpusHurt:
			c.cut(at, len(all), fmt.Sprintf("%d of them cost a session or were not answered", hurt))
			return
		case at >= corpusLeast && c.Transcript.Now()-start > corpusTime*time.Duration(max(c.Limits.Patience,
			1)):
			c.cut(at, len(all), recording.CutSlow)
			return
		}
		batch := all[at:min(at+corpusWidth, len(all))]
		bad := make([]bool, len(batch))
		each(c, corpusWidth, batch, func(i int, a URIRead, c *Client) {
			x := c.ReadResource(a.Step, a.URI, a.Tags)
			bad[i] = x.Fatal || x.Outcome == recording.Silent
		})
		for _, b := range bad {
			if b {
				hurt++
			}
		}
	}
}

// stepOf names the step that reads the entries of a class.
var stepOf = map[odduris.Class]recording.Step{
	odduris.Malformed: StepMalformed,
	odduris.Stranger:  StepStranger,
	odduris.Odd:       StepOdd,
	odduris.Variant:   StepVariant,
	odduris.Dots:      StepDots,
	odduris.Encoded:   StepEncoded,
	odduris.Trick:     StepTrick,
	odduris.System:    StepSystem,
}

// corpus is what the entries of some classes come to for a target; those that
// cannot be filled in are left out. The classes take turns, so that a row that
// breaks off has something of each. The tags "form" and "class" name the entry;
// "allow" and "matching" are those of the entry, "served" is as in malformed-reads.
func corpus(p *Play, values map[string]string, depth int, classes ...odduris.Class) []URIRead {
	return entries(p, p.Brief(), values, depth, classes...)
}

// entries is corpus, of few those that stand for others only.
func entries(p *Play, few bool, values map[string]string, depth int, classes ...odduris.Class) []URIRead {
	all, err := odduris.Corpus()
	if err != nil {
		p.Break(recording.CodePanic, "the corpus of URIs cannot be read: "+err.Error())
		return nil
	}
	listed, templates := servedBy(p)
	rows := make([][]URIRead, len(classes))
	for i := range all {
		e := &all[i]
		for k, class := range classes {
			if e.Class != class || few && !e.Always {
				continue
			}
			if uri, ok := e.Fill(values, depth); ok && (p.SecurityProbes || !pathlike(uri)) {
				tags := recording.Tags{TagForm: e.Name, "class": string(class), "allow": string(e.Allow)}
				if e.Matching != "" {
					tags[TagMatching] = string(e.Matching)
				}
				if listed[uri] || templates.Match(uri[:min(len(uri), mostOfURI)]) {
					tags[TagServed] = "yes"
				}
				rows[k] = append(rows[k], URIRead{stepOf[class], uri, tags})
			}
		}
	}
	return inTurn(rows)
}

// pathlike reports whether a string leads out of a directory, or to a file of Windows,
// where it is taken for a path.
func pathlike(uri string) bool {
	return strings.Contains(uri, "..") || strings.Contains(uri, `\`) || strings.Contains(uri, "::$")
}

// inTurn joins rows: the first of each, then the second of each, and so on.
func inTurn[T any](rows [][]T) []T {
	var all []T
	for i, more := 0, true; more; i++ {
		more = false
		for _, row := range rows {
			if i < len(row) {
				all = append(all, row[i])
				more = true
			}
		}
	}
	return all
}

// servedBy is what the target lists, and what its templates could stand for.
func servedBy(p *Play) (listed map[string]bool, templates judge.Matchers) {
	listed = map[string]bool{}
	for _, l := range p.AllResources() {
		listed[l.URI()] = true
	}
	return listed, p.Matchers()
}

// spelt picks a listed URI whose other spellings can be tried, and takes it apart:
// the names are those of the corpus. It is nil if none is listed. Great resources and
// those of the web are passed over.
func spelt(resources []Listed) map[string]string {
	const great = 64 << 10
	var plain map[string]string
	for _, l := range resources {
		uri := l.URI()
		if len(judge.URI(uri)) > 0 || judge.HasScheme(uri, "http", "https") ||
			strings.ContainsAny(uri, "?#") || l.Get("size").Num > great {
			continue
		}
		scheme, rest, _ := strings.Cut(uri, ":")
		values := map[string]string{"uri": uri, "stem": uri[:len(uri)-1], "scheme": scheme,
			"SCHEME": strings.ToUpper(scheme), "rest": rest}
		if plain == nil && rest != "" {
			plain = values
		}
		if parts(values, rest) {
			return values
		}
	}
	return plain
}

// parts adds what a URI with a path has; ok is false if it has none that ends in a
// name with a letter at its beginning.
func parts(values map[string]string, rest string) (ok bool) {
	scheme, path := values["scheme"], rest
	head := scheme + ":"
	if after, hierarchical := strings.CutPrefix(rest, "//"); hierarchical {
		end := strings.IndexByte(after, '/')
		if end < 0 {
			return false
		}
		head, path = head+"//"+after[:end], after[end:]
		if authority := after[:end]; authority != "" && !strings.Contains(authority, "@") &&
			!strings.Contains(authority, ":") {
			values["authority"], values["AUTHORITY"] = authority, strings.ToUpper(authority)
		}
	}
	if strings.ToUpper(path) != path {
		values["head"], values["path"], values["PATH"] = head, path, upperPath(path)
	}
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 || cut+1 == len(path) || !letter(path[cut+1]) || strings.ToUpper(path) == path {
		return false
	}
	name := path[cut+1:]
	values["dir"], values["name"], values["NAME"] = head+path[:cut], name, upperPath(name)
	values["name-encoded"] = fmt.Sprintf("%%%02X", name[0]) + name[1:]
	values["name-encoded-twice"] = fmt.Sprintf("%%25%02X", name[0]) + name[1:]
	values["name-fullwidth"] = string(rune(name[0])-'!'+'！') + name[1:]
	return true
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// upperPath is a path in capital letters. What is percent-encoded stays as it is.
func upperPath(path string) string {
	b := []byte(path)
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '%':
			i += 2
		case 'a' <= b[i] && b[i] <= 'z':
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// outside are the values of the corpus for a directory to climb out of, and a file
// to be reached, by its path from the top of the file system without the first slash.
func outside(root, goal string) (values map[string]string, depth int) {
	root = strings.TrimRight(root, "/")
	values = map[string]string{"root": root, "goal": goal,
		"goal-encoded":       strings.ReplaceAll(goal, "/", "%2f"),
		"goal-encoded-twice": strings.ReplaceAll(goal, "/", "%252f"),
		"goal-backslash":     strings.ReplaceAll(goal, "/", `\`)}
	if u, err := url.Parse(root); err == nil && judge.HasScheme(root, "file") {
		values["root-path"] = u.EscapedPath()
	}
	return values, segments(root)
}
