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

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The schema of SARIF 2.1.0, as files name it.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" +
	"sarif-schema-2.1.0.json"

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

// message is a text in which nothing is a link.
func message(s string) sarifText { return sarifText{Text: unlinked(s)} }

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

// SARIF writes a log of SARIF 2.1.0 for code scanning: a rule for each requirement judged and a
// result for each finding, however many combinations share it; requirements that share a cause have
// one each, so that an alert stays open while its requirement fails. What was blocked stands among
// the notifications of the tool. The report must have been summarized.
func SARIF(w io.Writer, r *reports.Report, o Options) error {
	s := &sarif{view: view{r, o}, index: map[string]int{}}
	run := sarifRun{
		Tool: map[string]sarifDriver{"driver": {Name: title(cmp.Or(r.Tool.Name, "mcpcheck")),
			Version:        title(r.Tool.Version),
			InformationURI: "https://github.com/mcpcheck/mcpcheck", Rules: s.rules()}},
		Automation: object{"id": "mcpcheck/" + clean(r.Target.Name, 100)},
		Invocations: []sarifInvocation{{Successful: r.Summary.Interrupted == "" && len(r.Results) > 0,
			Notifications: s.notifications()}},
		Results: s.results(), Columns: "unicodeCodePoints",
		Properties: object{"outcome": word(r.Summary.Outcome), "headline": s.Standing().String(),
			"scope": word(r.Summary.Scope), "catalogue": title(r.Tool.Catalogue)},
	}
	return terminal.WriteJSON(w, "SARIF log", " ",
		sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

type sarif struct {
	view
	index map[string]int // of a rule
}

// rules lists the requirements of the report in its order. Severities are scores as code scanning shows
// them, 7 and more being high, of the requirements with findings about security.
func (s *sarif) rules() []sarifRule {
	rules := []sarifRule{}
	repeats := map[string]string{} // the command that repeats the first red verdict on each requirement
	for _, f := range s.byCause(red) {
		x := f.Result
		repeats[x.ID] = cmp.Or(repeats[x.ID], s.repeated(x))
	}
	for i, same := range group.By(s.Rows(), idOf) {
		x := same[0]
		s.index[x.ID] = i
		text, tolerated := s.describe(x.ID)
		short := unlinked(cmp.Or(title(x.Title), title(x.ID)))
		text = cmp.Or(text, short)
		tags, severity := []string{"mcp", word(x.Area()), word(x.Level)}, ""
		for _, y := range same {
			if y.Harms() {
				severity = max(severity, map[reports.Verdict]string{reports.Fail: "8.0",
					reports.Warn: "5.0"}[y.Verdict])
			}
		}
		properties := object{"tags": tags, "precision": "very-high"}
		if severity != "" {
			properties["tags"], properties["security-severity"] = append(tags, "security"), severity
		}
		help := map[string]any{"About": x, "Text": text, "Tolerated": tolerated, "Repeat": repeats[x.ID],
			"Explain": clean("mcpcheck explain "+x.ID, 60)}
		rules = append(rules, sarifRule{
			ID: title(x.ID), Name: strings.ReplaceAll(title(x.ID), "-", ""),
			ShortDescription: sarifText{Text: short},
			FullDescription:  sarifText{Text: text}, HelpURI: safeLink(x),
			Help:    sarifText{unlinked(said("help", help)), said("help.md", help)},
			Default: object{"level": s.level(x.Grade == "fail")}, Properties: properties,
		})
	}
	return rules
}

// repeated is the command that repeats a verdict. One that [unlinked] would change is
// left out; ours have no such thing in them.
func (s *sarif) repeated(x *reports.Result) string {
	if command := repeated(x); unlinked(command) == command {
		return command
	}
	return elsewhere
}

func (s *sarif) level(fails bool) string {
	if fails || s.Strict {
		return "error"
	}
	return "warning"
}

func (s *sarif) results() []sarifResult {
	list := []sarifResult{}
	for _, f := range s.findings(red) {
		x := f.Result
		repeat := s.repeated(x)
		text := said("alert", f) + maybe("\nRepeat: %s", repeat)
		sum := sha256.Sum256([]byte(strings.Join([]string{s.Target.Name, x.ID, cmp.Or(x.Cause, x.Expected)},
			"\x00")))
		result := sarifResult{
			RuleID: title(x.ID), RuleIndex: s.index[x.ID], Level: s.level(x.Verdict == reports.Fail),
			Message:      message(text),
			Locations:    []object{{"physicalLocation": s.place(x)}},
			Fingerprints: map[string]string{"mcpcheck/v2": hex.EncodeToString(sum[:16])},
			Properties: object{"verdict": x.Verdict, "gravity": word(x.Weight()), "level": word(x.Level),
				"frames": s.frames(x)},
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
		if f := s.Frame(n); f != nil {
			lines = append(lines, strings.Join(FrameLines(near(x, f, consoleFrame), consoleFrame), "\n"))
		}
	}
	return lines
}

// place is where the repository has the URI that a finding names, or else its method; or the file for all
// findings.
func (s *sarif) place(x *reports.Result) object {
	file, line := "", 0
	if s.Find != nil {
		var texts []string
		for _, name := range quotedName.FindAllString(x.Actual, 3) {
			if uri := strings.Trim(name, `"`); uriLike.MatchString(uri) {
				texts = append(texts, uri)
			}
		}
		for _, f := range sent(s.Report, x) {
			if method := methodOf(f); method != "initialize" && method != "" {
				texts = append(texts, method)
			}
		}
		file, line = s.Find(texts...)
	}
	if line == 0 {
		file, line = cmp.Or(s.Location, s.Config.File, "README.md"), 1
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
	add := func(level, id, text string) {
		if text != "" {
			list = append(list, sarifNotification{Level: level, Message: message(text),
				Descriptor: object{"id": id}})
		}
	}
	add("error", "interrupted", maybe("ended early: %s", s.EndedEarly()))
	add("error", "unreachable", s.Lost())
	for _, p := range partsOf(s.Summary.Baseline) {
		level := "note"
		if p.outdated {
			level = "error"
		}
		for _, e := range p.Entries {
			add(level, "baseline", clean(p.sentence(e), pageText))
		}
	}
	for _, t := range s.BlockedBy() {
		add("warning", cmp.Or(clean(t.Code, 60), string(reports.Blocked)), fmt.Sprintf("%s (%s)",
			cmp.Or(cleanLines(t.Text), "could not be judged"),
			strings.Join(cleanAll(t.IDs[:min(len(t.IDs), 12)]), ", ")))
		if len(t.IDs) == 1 {
			list[len(list)-1].Rule = object{"id": title(t.IDs[0]), "index": s.index[t.IDs[0]]}
		}
	}
	return list
}
