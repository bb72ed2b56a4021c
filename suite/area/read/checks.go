// Package read is the area READ: resources/read and the contents that it yields
// (server/resources#reading-resources).
package read

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The scenario of the area.
const TaskRead recording.Name = "task-read" // a read with a task parameter

// Checks lists the checks of the area.
var Checks = verdict.Join(readChecks, readBytesChecks).Needing(verdict.Resources)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{knownReadsScenario, taskReadScenario}

// The steps of the area's scripts.
const stepTask, stepText, stepBlob recording.Step = "task", "text", "blob"

// The tags of the area's scripts.
const tagBase64, tagSHA256 recording.Tag = "base64", "sha256"

// The checks of server/resources, reading: the shape of contents.
var readChecks = verdict.Checks{
	"READ-01": {From: contentReads, With: recording.Names{recording.KnownReads,
		recording.TemplateSweep}, Judge: func(v *verdict.Verdict) {
		var empty verdict.Sightings
		for _, x := range v.Readings(recording.StepRead, scenario.StepKnown) {
			list := x.Value("contents")
			if x.Step == recording.StepRead && list.IsArray() && len(x.Contents) == 0 {
				empty.Add(x, "%v", x.Param("uri"))
			}
			v.Typed(verdict.NewItem(x.Result(), judge.Brief(x.Param("uri")), x.Evidence()),
				"ReadResourceResult", "contents")
		}
		empty.Observe(v, "no-contents",
			"%d listed {resource is|resources are} read as an empty array, which clients take for a "+
				"resource that is not there: %s")
		if v.Scenario != recording.Reads {
			return
		}
		if v.Skipped != nil {
			v.Observe(nil, "unread", "%s", v.Skipped.Reason)
		}
		somethingReadable(v)
	}},
	"READ-02": {From: contentReads,
		Judge: func(v *verdict.Verdict) {
			var elsewhere, misspelt, twice verdict.Sightings
			for _, x := range v.Readings(recording.StepRead, scenario.StepKnown) {
				seen := map[string]bool{}
				for _, c := range x.Contents {
					v.Typed(c, "ResourceContents", "uri", "mimeType")
					if seen[c.Raw] {
						twice.Add(c, "%s", c.Name)
					}
					seen[c.Raw] = true
					misspelt.AddMisspelt(c, contentMembers)
					if uri := c.Get("uri"); judge.IsString(uri) && len(x.Contents) == 1 &&
						uri.Str != x.URI() {
						elsewhere.Add(c, "%v as %v", x.Param("uri"), uri)
					}
				}
			}
			elsewhere.Observe(v, "other-uri",
				"%d read as a single content under another URI than was asked for: %s")
			misspelt.ObserveMisspelt(v)
			twice.Observe(v, "content-twice",
				"%d {content comes|contents come} again, byte for byte, in the same read: %s")
			v.NeedsSubject("%s", noContents)
		}},
	"READ-03": {From: contentReads,
		Judge: verdict.Each(allContents, func(c verdict.Item, v *verdict.Verdict) {
			text, blob := c.Get("text"), c.Get("blob")
			v.That(c, judge.IsString(text) || judge.IsString(blob), "text or blob as a string",
				"%s has text: %s, blob: %s", c.Name, judge.TypeName(text), judge.TypeName(blob)).
				Hint(map[bool]string{true: "write a JSON document into text as a string"}[text.IsObject() ||
					text.IsArray()])
		}).Or(recording.CodeNeedsSubject, noContents)},
	"READ-04": {From: contentReads,
		Judge: verdict.Each(allContents, func(c verdict.Item, v *verdict.Verdict) {
			text, blob := c.Get("text"), c.Get("blob")
			v.That(c, !text.Exists() || !blob.Exists(), "text or blob, not both", "%s has text: %s, blob: %s",
				c.Name, judge.TypeName(text), judge.TypeName(blob))
		}).Or(recording.CodeNeedsSubject, noContents)},
	"READ-06": {From: contentReads,
		Judge: verdict.Each(blobs, func(c verdict.Item, v *verdict.Verdict) {
			p, bad := judge.First(judge.Base64(c.Get("blob").Str), judge.CodeURLSafe, judge.CodeBadCharacter)
			hint := ""
			if p.Code != judge.CodeURLSafe {
				hint = "encode bytes with the standard base64 alphabet"
			}
			v.That(c, !bad, "letters, digits, +, / and = in a blob", "blob of %s: %v", c.Name, p).
				Hint(hint)
		})},
	"READ-07": blobCheck("a blob padded to a multiple of four characters",
		"no blob has a length that needs padding", needsPadding,
		judge.CodeMissingPadding, judge.CodeMisplacedPadding, judge.CodeBadLength),
	"READ-08": blobCheck("a blob without line breaks and spaces", "every blob is too short for a line break",
		func(blob string, _ []judge.Problem) bool {
			return len(blob) > 60 // encoders that break lines do so after 60, 64 or 76 characters
		}, judge.CodeWhiteSpace),
	"READ-09": blobCheck("zeros in the unused bits of a blob's last letter", "no blob has unused bits",
		needsPadding, judge.CodePadBits),
}

// blobCheck is a check that blobs have none of some problems; without an occasion for them there is
// nothing to judge.
func blobCheck(expected, none string, occasion func(blob string, problems []judge.Problem) bool,
	codes ...judge.Code) verdict.Check {
	return verdict.Check{From: contentReads,
		Judge: verdict.Each(blobs, func(c verdict.Item, v *verdict.Verdict) {
			blob := c.Get("blob").Str
			problems := judge.Base64(blob)
			if p, bad := judge.First(problems, codes...); bad || occasion(blob, problems) {
				v.That(c, !bad, expected, "blob of %s: %v", c.Name, p)
			}
		}).Or(recording.CodeNeedsSubject, none)}
}

// somethingReadable judges whether anything that is listed can be read. A single unreadable resource warns,
// since a right may be missing. LIST-15 judges errors that say "not found".
func somethingReadable(v *verdict.Verdict) {
	for _, name := range []recording.Name{recording.KnownReads, recording.TemplateSweep} {
		if other := v.Input(name); other != nil && slices.ContainsFunc(other.Exchanges, verdict.Yields) {
			return
		}
	}
	var failed []*recording.Exchange
	others := false
	for _, x := range v.Steps(recording.StepRead) {
		if judge.HasScheme(x.URI(), "https") { // which clients may load from the web
			continue
		}
		if !failsByItself(x) {
			return
		}
		// What is left is the server's own without a doubt.
		others = others || !x.HasCode(0, -32603) || hindered(x)
		failed = append(failed, x)
	}
	if len(failed) == 0 {
		return
	}
	all := len(v.Steps(recording.StepRead))
	listed := failed[0].Tags[recording.TagListed]
	v.Fail(verdict.All(failed...), "contents of something that is listed", plural.Of(len(failed),
		"%d {read|reads} of what is listed, and nothing could be read: %v"), len(failed), failed[0]).
		Title("Something that is listed can be read").Kept(). // errors have no contents
		WarnIf(len(failed) == 1 || others || listed != "" && listed != strconv.Itoa(all)).
		Hint("let what is listed be read, or leave it out of the list")
}

// failsByItself reports whether a read ended in an error that says neither that something is missing, nor
// that the client may not, asks too often, or has to give something first.
func failsByItself(x *recording.Exchange) bool {
	return x.Failed() && (x.Status < http.StatusBadRequest || x.Status >= http.StatusInternalServerError) &&
		!x.OverRate() &&
		!verdict.NotFound(x) && !verdict.Unknown(x) && !x.HasCode(-32021, -32042)
}

var hindrance = regexp.MustCompile(`(?i)\bdial (tcp|udp)\b|\bconnection (refused|reset|error)|` +
	`\bconnect(ion)? ?timed? ?out|\bgetaddrinfo|\bname (resolution|or service)|\bfetch failed|` +
	`\b(network|host) is unreachable|\bno such host|\bE(CONN|NOTFOUND|AI_|HOSTUN|TIMEDOUT)|` +
	`\bunauthori[sz]ed\b|\bforbidden\b|\b(access|permission) (is )?denied|\bbad credentials|\bEACCES\b`)

// hindered reports whether an error tells of what lies outside the server: of another system that it
// cannot reach, or of a right that it lacks. Such a read fails as it may
// (server/resources#error-handling). Words of the request say nothing.
func hindered(x *recording.Exchange) bool {
	said := hindrance.FindString(x.Error().Get("message").String())
	return said != "" && !bytes.Contains(bytes.ToLower(x.Params), bytes.ToLower([]byte(said)))
}

func allContents(v *verdict.Verdict) []verdict.Item {
	var all []verdict.Item
	for _, x := range v.Readings(recording.StepRead, scenario.StepKnown) {
		all = append(all, x.Contents...)
	}
	return all
}

func blobs(v *verdict.Verdict) []verdict.Item {
	all := recording.Keep(allContents(v), func(c verdict.Item) bool {
		return judge.IsString(c.Get("blob"))
	})
	if len(all) == 0 {
		v.NeedsSubject("no read yielded a blob")
	}
	return all
}

// needsPadding reports whether a readable blob stands for a number of bytes that
// is no multiple of three.
func needsPadding(blob string, problems []judge.Problem) bool {
	if judge.Has(problems, judge.CodeBadCharacter, judge.CodeMisplacedPadding, judge.CodeBadLength) {
		return false
	}
	letters := 0
	for _, c := range []byte(blob) {
		if !strings.ContainsRune("= \t\r\n", rune(c)) {
			letters++
		}
	}
	return letters%4 != 0
}

// declaredType is the MIME type of a content, or else that of its entry in the
// list, if the read yielded nothing but this content.
func declaredType(x verdict.Reading, c verdict.Item) string {
	if mime := c.Get("mimeType"); mime.Type == gjson.String {
		return mime.Str
	}
	if len(x.Contents) == 1 {
		return x.Tags[recording.TagType]
	}
	return ""
}

const noContents = "no read yielded contents of the kind that is judged"

// contentReads are the recordings whose contents are held to the schema: the reads of
// what is listed, and those of templates with values that the target suggests.
var contentReads = recording.Names{recording.Reads, recording.TemplateSweep}

// The members that have a meaning.
var contentMembers = []string{"uri", "mimeType", "text", "blob", "_meta"}
