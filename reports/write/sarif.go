package write

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The schema of SARIF 2.1.0, as files name it.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        map[string]sarifDriver `json:"tool"`
	Automation  object                 `json:"automationDetails"`
	Invocations []sarifInvocation      `json:"invocations"`
	Results     []sarifResult          `json:"results"`
	Columns     string                 `json:"columnKind"`
	Properties  object                 `json:"properties,omitempty"`
}

// object is a small object of SARIF; its members are written in the order of their names.
type object = map[string]any

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri,omitempty"`
	Rules          []sarifRule `json:"rules"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	Name             string    `json:"name"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	HelpURI          string    `json:"helpUri,omitempty"`
	Help             sarifText `json:"help"`
	Default          object    `json:"defaultConfiguration"`
	Properties       object    `json:"properties"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level      string    `json:"level"`
	Message    sarifText `json:"message"`
	Descriptor object    `json:"descriptor"`
	Rule       object    `json:"associatedRule,omitempty"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []object           `json:"locations"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   object             `json:"properties,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

// WriteSARIF writes a log of SARIF 2.1.0 for code scanning: a rule for each
// requirement judged and a result for each finding, however many combinations
// share it; requirements that share a cause have one each, so that an alert stays open while its requirement fails. What was blocked stands among the notifications of the tool. The
// report must have been summarized.
func SARIF(w io.Writer, r *reports.Report, o Options) error {
	s := &sarif{view: view{r: r}, o: o, index: map[string]int{}}
	run := sarifRun{
		Tool: map[string]sarifDriver{"driver": {Name: clean(cmp.Or(r.Tool.Name, "mcpcheck"), pageTitle), Version: clean(r.Tool.Version, pageTitle),
			InformationURI: "https://github.com/mcpcheck/mcpcheck", Rules: s.rules()}},
		Automation:  object{"id": "mcpcheck/" + clean(r.Target.Name, 100)},
		Invocations: []sarifInvocation{{Successful: r.Summary.Interrupted == "" && len(r.Results) > 0, Notifications: s.notifications()}},
		Results:     s.results(), Columns: "unicodeCodePoints",
		Properties: object{"outcome": clean(string(r.Summary.Outcome), 40), "headline": s.standing().String(), "scope": clean(string(r.Summary.Scope), 40), "catalogue": clean(r.Tool.Catalogue, pageTitle)},
	}
	return terminal.WriteJSON(w, "SARIF log", " ", sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

type sarif struct {
	view
	o     Options
	index map[string]int // of a rule
}

// rules lists the requirements of the report in its order.
func (s *sarif) rules() []sarifRule {
	rules := []sarifRule{}
	repeats, severities := s.repeats(), s.severities()
	for i := range s.r.Results {
		x := &s.r.Results[i]
		if _, known := s.index[x.ID]; known {
			continue
		}
		s.index[x.ID] = len(rules)
		text, tolerated := "", ""
		if s.o.Describe != nil {
			text, tolerated = s.o.Describe(x.ID)
		}
		title := unlinked(cmp.Or(clean(x.Title, pageTitle), clean(x.ID, pageTitle)))
		text = cmp.Or(text, title)
		rule := sarifRule{
			ID: clean(x.ID, pageTitle), Name: strings.ReplaceAll(clean(x.ID, pageTitle), "-", ""), ShortDescription: sarifText{Text: title},
			FullDescription: sarifText{Text: text}, HelpURI: safeLink(x), Help: s.help(x, text, tolerated, repeats[x.ID]), Default: object{"level": s.level(x.Grade == "fail")},
			Properties: object{"tags": []string{"mcp", clean(x.Area(), 40), clean(x.Level, 40)}, "precision": "very-high"},
		}
		if severity := severities[x.ID]; severity != "" {
			rule.Properties["security-severity"] = severity
			rule.Properties["tags"] = []string{"mcp", clean(x.Area(), 40), clean(x.Level, 40), "security"}
		}
		rules = append(rules, rule)
	}
	return rules
}

// severities are scores as code scanning shows them, 7 and more being high, of the
// requirements with findings about security.
func (s *sarif) severities() map[string]string {
	m := map[string]string{}
	for _, x := range s.r.Only((*reports.Result).Harms) {
		if x.Verdict == reports.Fail {
			m[x.ID] = "8.0"
		} else {
			m[x.ID] = cmp.Or(m[x.ID], "5.0")
		}
	}
	return m
}

// repeats is the command that repeats the first red verdict on each requirement.
func (s *sarif) repeats() map[string]string {
	m := map[string]string{}
	for _, f := range byCause(s.r, func(x *reports.Result) bool { return x.Verdict.Red() }) {
		if x := f.results[0]; m[x.ID] == "" {
			m[x.ID] = s.repeated(x)
		}
	}
	return m
}

// repeated is the command that repeats a verdict. One that [unlinked] would change is
// left out; ours have no such thing in them.
func (s *sarif) repeated(x *reports.Result) string {
	if command := repeated(x); unlinked(command) == command {
		return command
	}
	return elsewhere
}

func (s *sarif) help(x *reports.Result, text, tolerated, repeat string) sarifText {
	head := fmt.Sprintf("%s (%s, %s)", text, clean(x.Level, 40), clean(x.Section, pageTitle))
	if tolerated != "" {
		head += "\n\nTolerated: " + tolerated
	}
	explain := clean("mcpcheck explain "+x.ID, 60)
	markdown := plain(text) + "\n\n- level: " + plain(x.Level) + "\n- section: "
	if url := safeLink(x); url != "" {
		markdown += "[" + plain(x.Section) + "](" + url + ")"
	} else {
		markdown += plain(x.Section)
	}
	if tolerated != "" {
		markdown += "\n- tolerated: " + plain(tolerated)
	}
	head += "\n\n" + explain + " shows how it is checked."
	markdown += "\n\n" + safe.MarkdownCode(explain, 60) + " shows how it is checked."
	if repeat != "" {
		head += "\n\nTo repeat it: " + repeat
		markdown += "\n\nTo repeat it:\n\n" + safe.MarkdownBlock(repeat)
	}
	return sarifText{Text: unlinked(head), Markdown: markdown}
}

func (s *sarif) level(fails bool) string {
	if fails || s.o.Strict {
		return "error"
	}
	return "warning"
}

func (s *sarif) results() []sarifResult {
	list := []sarifResult{}
	for _, f := range findings(s.r, func(x *reports.Result) bool { return x.Verdict.Red() }) {
		x := f.results[0]
		where := s.where(f.results)
		text := clean(x.Title, pageTitle) + " (in " + clean(where, pageTitle) + ")."
		if x.Expected != "" {
			text += "\nExpected: " + cleanLines(x.Expected)
		}
		if said := cmp.Or(f.actual(), x.Reason); said != "" {
			text += "\nActual: " + cleanLines(said)
		}
		for _, other := range s.also(f) {
			text += "\nAlso: " + cleanLines(other)
		}
		if x.Hint != "" {
			text += "\nChange: " + cleanLines(x.Hint)
		}
		repeat := s.repeated(x)
		if repeat != "" {
			text += "\nRepeat: " + repeat
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{s.r.Target.Name, x.ID, cmp.Or(x.Cause, x.Expected)}, "\x00")))
		result := sarifResult{
			RuleID: clean(x.ID, pageTitle), RuleIndex: s.index[x.ID], Level: s.level(x.Verdict == reports.Fail), Message: sarifText{Text: unlinked(text)},
			Locations:    []object{{"physicalLocation": s.place(x)}},
			Fingerprints: map[string]string{"mcpcheck/v2": hex.EncodeToString(sum[:16])},
			Properties:   object{"verdict": x.Verdict, "gravity": clean(string(x.Weight()), 40), "level": clean(x.Level, 40), "frames": s.frames(x)},
		}
		if repeat != "" {
			result.Properties["rerun"] = repeat
		}
		if why := excuse(x); why != "" {
			result.Suppressions = []sarifSuppression{{"external", "accepted", unlinked(cleanLines(why))}}
		}
		list = append(list, result)
	}
	return list
}

// unlinked is a text in which nothing is a link: in the messages of SARIF
// [text](address) is one, and what a target sent is not to become any (section 3.11.6).
func unlinked(s string) string { return strings.ReplaceAll(s, "](", "] (") }

// frames is the beginning of the evidence, a text for each frame.
func (s *sarif) frames(x *reports.Result) []string {
	lines := []string{}
	for _, n := range x.Evidence[:min(len(x.Evidence), consoleFrames)] {
		if f := s.r.Frame(n); f != nil {
			lines = append(lines, strings.Join(FrameLines(near(x, f, consoleFrame), consoleFrame), "\n"))
		}
	}
	return lines
}

// place is where the repository has the URI that a finding names, or else its method; or the file for all findings.
func (s *sarif) place(x *reports.Result) object {
	file, line := "", 0
	if s.o.Find != nil {
		var texts []string
		for _, name := range quotedName.FindAllString(x.Actual, 3) {
			if uri := strings.Trim(name, `"`); uriLike.MatchString(uri) {
				texts = append(texts, uri)
			}
		}
		for _, f := range sent(s.r, x) {
			if method := methodOf(f); method != "initialize" && method != "" {
				texts = append(texts, method)
			}
		}
		file, line = s.o.Find(texts...)
	}
	if line == 0 {
		file, line = cmp.Or(s.o.Location, s.r.Config.File, "README.md"), 1
	}
	return object{"artifactLocation": object{"uri": location(file)}, "region": object{"startLine": line}}
}

// uriLike is a URI with more than a scheme.
var uriLike = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:[^\s:"]\S*$`)

// location is a file as a relative reference.
func location(path string) string {
	if u, err := url.Parse(path); err == nil && u.Scheme != "" && u.Host != "" {
		return path
	}
	path = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(path)), "/")
	return (&url.URL{Path: path}).EscapedPath()
}

// notifications say what could not be judged, and why the run ended early.
func (s *sarif) notifications() []sarifNotification {
	var list []sarifNotification
	if s.r.Summary.Interrupted != "" {
		list = append(list, sarifNotification{Level: "error", Message: sarifText{Text: unlinked("ended early: " + s.r.EndedEarly())}, Descriptor: object{"id": "interrupted"}})
	}
	if lost := s.r.Lost(); lost != "" {
		list = append(list, sarifNotification{Level: "error", Message: sarifText{Text: unlinked(lost)}, Descriptor: object{"id": "unreachable"}})
	}
	b := s.r.Summary.Baseline
	for _, p := range partsOf(b) {
		level := "note"
		if p.outdated {
			level = "error"
		}
		for i := range p.entries {
			list = append(list, sarifNotification{Level: level, Message: sarifText{Text: unlinked(clean(sentenceOn(b, &p, &p.entries[i]), pageText))}, Descriptor: object{"id": "baseline"}})
		}
	}
	for _, t := range s.blockedBy() {
		n := sarifNotification{Level: "warning", Descriptor: object{"id": cmp.Or(clean(t.code, 60), string(reports.Blocked))},
			Message: sarifText{Text: unlinked(fmt.Sprintf("%s (%s)", cmp.Or(cleanLines(t.text), "could not be judged"), strings.Join(cleanAll(t.ids[:min(len(t.ids), 12)]), ", ")))}}
		if len(t.ids) == 1 {
			n.Rule = object{"id": clean(t.ids[0], pageTitle), "index": s.index[t.ids[0]]}
		}
		list = append(list, n)
	}
	return list
}
