package read

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of server/resources, reading: what the contents say.
var readBytesChecks = verdict.Checks{
	"READ-12": {From: verdict.Reads,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Readings(recording.StepRead) {
				for _, c := range x.Contents {
					text, mime := c.Get("text"), declaredType(x, c)
					if !judge.IsBinaryType(mime) || !judge.IsString(text) {
						if judge.IsBinaryType(mime) && judge.IsString(c.Get("blob")) {
							v.Holds()
						}
						continue
					}
					if encoded(text.Str) {
						v.Fail(c, mime+" as a blob", "text of %s is base64", c.Name)
						continue
					}
					at, binary := judge.BinaryInText(text.Str)
					v.That(c, !binary, mime+" as a blob", "text of %s has a replacement or control "+
						"character at offset %d", c.Name, at)
				}
			}
			v.NeedsSubject("nothing of a binary type could be read")
		}},
	"READ-13": {From: recording.Names{recording.KnownReads},
		Judge: verdict.Each(verdict.Steps(stepText), func(x *recording.Exchange, v *verdict.Verdict) {
			if readsAtAll(v, x) {
				knownText(v, x)
			}
		})},
	"READ-14": {From: recording.Names{recording.KnownReads},
		Judge: verdict.Each(verdict.Steps(stepBlob), func(x *recording.Exchange, v *verdict.Verdict) {
			if readsAtAll(v, x) {
				knownBlob(v, x)
			}
		})},
	"READ-15": {From: verdict.Reads, With: verdict.ResourceWalk,
		Judge: fitsType},
	"READ-17": {From: recording.Names{TaskRead},
		Judge: func(v *verdict.Verdict) {
			x, about := v.Step(stepTask), "a read with a task parameter, of a resource that could be read "+
				"without"
			if v.Facts.Declares("tasks") && v.Answered(x) && !x.Value("contents").IsArray() {
				v.Observe(x, "task-for-a-read", "%v to %s", x, about)
				v.NotExercised("the target declares tasks, and does not answer a read with a task " +
					"parameter by contents")
				return
			}
			if v.Gone(x) {
				return
			}
			v.Expect(x, matcher.HaveContents(), "%s", about)
		}},
}

// encoded reports whether a text is bytes in base64, by itself or as a data URL. What is short may be a word.
func encoded(text string) bool {
	const shortest = 32
	if _, data, ok := strings.Cut(text, ";base64,"); ok && strings.HasPrefix(text, "data:") {
		text = data
	}
	if text = strings.TrimSpace(text); len(text) < shortest ||
		strings.Trim(text, "0123456789abcdefABCDEF") == "" {
		return false // a word, or a checksum
	}
	data, err := judge.Decode(text)
	_, binary := judge.BinaryInText(string(data))
	return err == nil && binary
}

// readsAtAll reports whether a read of a known resource yielded a result. That it
// did not is a violation, unless the target knows no reads at all, which is judged
// elsewhere, or asks for input first.
func readsAtAll(v *verdict.Verdict, x *recording.Exchange) bool {
	if verdict.Unknown(x) {
		v.NeedsSubject("the target does not know resources/read")
		return false
	}
	ok := v.Expect(x, matcher.BeResult(), "a read of %v, which the target file calls readable",
		x.Param("uri")).Hint("let the resource be read, or correct the target file").Held()
	return ok && !verdict.AsksForInput(x) && !v.UnreadableShape(x)
}

// knownText: a known text arrives character for character.
func knownText(v *verdict.Verdict, x *recording.Exchange) {
	want, exact := x.Tags[recording.TagText]
	part := x.Tags[recording.TagContains] != ""
	is := func(got string) bool { return got == want || part && strings.Contains(got, want) }
	var texts []string
	for _, c := range verdict.ContentsOf(x) {
		if text := c.Get("text"); judge.IsString(text) {
			texts = append(texts, text.Str)
		} else if data, err := judge.Decode(c.Get("blob").Str); err == nil && exact && is(string(data)) {
			v.Holds() // every character has arrived, if in base64
			return
		}
	}
	if !v.That(x, len(texts) > 0, "text from "+judge.Brief(x.Param("uri")), "no content with text").
		Hint("send what is text as text, or correct the target file").Held() || !exact {
		return
	}
	actual := ""
	for i, got := range texts {
		if is(got) {
			v.Holds()
			return
		}
		if i == 0 {
			actual = firstDifference(want, got)
		}
	}
	if part {
		actual = fmt.Sprintf(plural.Of(utf8.RuneCountInString(texts[0]),
			"it does not occur in %d {character|characters} of text"), utf8.RuneCountInString(texts[0]))
	}
	v.Fail(x, "the text that the target file gives for "+judge.Brief(x.Param("uri")), "%s", actual)
}

// firstDifference says where two texts part.
func firstDifference(want, got string) string {
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	for at > 0 && (at < len(want) && !utf8.RuneStart(want[at]) || at < len(got) && !utf8.RuneStart(got[at])) {
		at--
	}
	excerpt := func(s string) string {
		if s = s[at:]; len(s) > 24 {
			s = s[:24]
		}
		return fmt.Sprintf("%q", strings.ToValidUTF8(s, ""))
	}
	return fmt.Sprintf(plural.Of(len(got),
		"at byte %d it goes on with %s instead of %s (%d {byte|bytes} instead of %d)"), at, excerpt(got),
		excerpt(want), len(got), len(want))
}

// knownBlob: a known blob decodes to the original bytes.
func knownBlob(v *verdict.Verdict, x *recording.Exchange) {
	actual := "no content with a blob"
	for _, c := range verdict.ContentsOf(x) {
		blob := c.Get("blob")
		if text := c.Get("text"); judge.IsString(text) && isKnown(x, []byte(text.Str)) {
			v.Holds() // every byte has arrived, if as text
			return
		}
		if !judge.IsString(blob) {
			continue
		}
		data, err := judge.Decode(blob.Str)
		switch {
		case err != nil:
			actual = "a blob that cannot be decoded: " + err.Error()
		case isKnown(x, data):
			v.Holds()
			return
		default:
			sum := sha256.Sum256(data)
			actual = fmt.Sprintf(plural.Of(len(data), "%d {byte|bytes} with the SHA-256 %x"), len(data), sum)
			if twice, err := judge.Decode(string(data)); err == nil && isKnown(x, twice) {
				actual += ", which are base64 once more"
			}
		}
	}
	v.Fail(x, "the bytes that the target file gives for "+judge.Brief(x.Param("uri")), "%s", actual)
}

// isKnown compares bytes with what the target file says about them.
func isKnown(x *recording.Exchange, data []byte) bool {
	if size := x.Tags[scenario.TagSize]; size != "" && size != fmt.Sprint(len(data)) {
		return false
	}
	if want := x.Tags[tagBase64]; want != "" {
		known, err := judge.Decode(want)
		return err == nil && bytes.Equal(known, data)
	}
	sum := sha256.Sum256(data)
	want := x.Tags[tagSHA256]
	return want == "" || strings.EqualFold(want, hex.EncodeToString(sum[:]))
}

// fitsType: a decoded blob begins as its type lets expect.
func fitsType(v *verdict.Verdict) {
	var sniffed, differing verdict.Sightings
	doubts := &doubts{}
	for _, x := range v.Readings(recording.StepRead) {
		for _, c := range x.Contents {
			mime := declaredType(x, c)
			doubts.add(c, mime)
			if own, listed := c.Get("mimeType"), x.Tags[recording.TagType]; len(x.Contents) == 1 &&
				listed != "" && judge.IsString(own) && judge.Essence(own.Str) != judge.Essence(listed) {
				differing.Add(c, "%v (listed as %s, read as %s)", x.Param("uri"), listed, own.Str)
			}
			blob := c.Get("blob")
			data, err := judge.Decode(blob.Str)
			if !judge.IsString(blob) || err != nil || len(data) == 0 {
				continue
			}
			if !judge.Sniffable(mime) {
				if begins := judge.Detect(data); begins != "" && vague(mime) {
					sniffed.Add(c, "%s (%s, looks like %s)", c.Name, cmp.Or(mime, "without a type"), begins)
				}
				continue
			}
			begins := judge.Sniff(data)
			actual := c.Name + " begins like no " + mime
			if begins != "" {
				actual = c.Name + " begins like " + begins
			} else if twice, err := judge.Decode(string(data)); err == nil &&
				judge.Sniff(twice) == judge.Essence(mime) {
				actual = c.Name + " decodes to base64 once more"
			}
			f := v.That(c, begins == judge.Essence(mime), "bytes of the type "+mime, "%s", actual)
			if !c.Get("mimeType").Exists() {
				f.Before(verdict.Frames(v.ListedIn(recording.WalkResources, x.URI())))
			}
		}
	}
	differing.Observe(v, "mime-type-differs", "%d listed under another MIME type than was read: %s")
	doubts.observe(v)
	sniffed.Observe(v, "mime-type-vague", "%d of no telling type, although the bytes can be recognised: %s")
	v.NeedsSubject("no blob has a type that can be told by its first bytes")
}

// doubts collects contents that do not look like what they are said to be.
type doubts struct{ other, unparsed, wrapped, marked, lossy verdict.Sightings }

func (d *doubts) add(c verdict.Item, mime string) {
	text, blob := c.Get("text"), c.Get("blob")
	if judge.IsString(text) {
		if strings.HasPrefix(text.Str, "\ufeff") {
			d.marked.Add(c, "%s", c.Name)
		}
		if strings.ContainsAny(text.Str, "\ufffd\x00") {
			d.lossy.Add(c, "%s", c.Name)
		}
		if what := judge.Wrapped(mime, text.Str); what != "" {
			d.wrapped.Add(c, "%s (%s)", c.Name, what)
		} else if text.Str != "" && judge.Essence(mime) == "application/json" && !gjson.Valid(text.Str) {
			d.unparsed.Add(c, "%s", c.Name)
		}
		return
	}
	data, err := judge.Decode(blob.Str)
	if !judge.IsString(blob) || err != nil || len(data) == 0 {
		return
	}
	if begins := judge.Contradiction(mime, data); begins != "" {
		d.other.Add(c, "%s (%s, looks like %s)", c.Name, mime, begins)
	}
	if judge.Sniffable(mime) {
		return // judged
	}
	if what := judge.Wrapped("", string(data)); what != "" {
		d.wrapped.Add(c, "%s (%s, encoded in base64 again)", c.Name, what)
	}
}

func (d *doubts) observe(v *verdict.Verdict) {
	d.other.Observe(v, "mime-type-contradicted", "%d of another type than their bytes show: %s")
	d.marked.Observe(v, "text-begins-with-bom",
		"%d {text begins|texts begin} with a byte order mark, which belongs to the bytes of a file and "+
			"not to its text: %s")
	d.lossy.Observe(v, "text-not-read",
		"%d {text has|texts have} the character that stands for bytes which could not be read, or a NUL: %s")
	d.unparsed.Observe(v, "not-json", "%d of the type application/json that cannot be parsed: %s")
	d.wrapped.Observe(v, "encoded-twice", "%d encoded once too often: %s")
}

func vague(mime string) bool { return mime == "" || judge.Essence(mime) == "application/octet-stream" }
