package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// templatesPage is a page of templates.
func templatesPage(result string) []rt.Line {
	l := page("1d", `{}`, result)
	l.Method = "resources/templates/list"
	return lines(l)
}

func templated(text string) []rt.Line {
	return templatesPage(`{"resourceTemplates":[{"uriTemplate":"` + text + `","name":"t"}]}`)
}

func TestTemplateList(t *testing.T) {
	walkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []run{
		{"TMPL-01", Pass, templatesPage(`{"resourceTemplates":[]}`)},
		{"TMPL-01", Fail, templatesPage(`{"templates":[]}`)},
		{"TMPL-02", Pass, templated("a:{b}")},
		{"TMPL-02", NotApplicable, templatesPage(`{"resourceTemplates":[]}`)},
		{"TMPL-02", Fail, templatesPage(`{"resourceTemplates":[{"uri":"a:{b}","name":"t"}]}`)},
		{"TMPL-02", Fail, templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`)},
		{"TMPL-04", Pass, templated("a:plain")},
		{"TMPL-04", Fail, templated("file:///{path")},
		{"TMPL-04", Fail, templated("file:///{}")},
		{"TMPL-05", Pass, templated("a:{+b,c*}{?d:3}")},
		{"TMPL-05", Fail, templated("db://{$table}")},
		{"TMPL-05", Warn, templated("db://{@table}")},
		{"TMPL-05", Fail, templated("note://{note-id}")},
		{"TMPL-05", Fail, templated("x://{id:int}")},
		{"TMPL-08", Pass, templated("file:///ü/{name}")},
		{"TMPL-08", Warn, templated("file:///it's/{name}")},
		{"TMPL-08", Fail, templated("file:///my docs/{name}")},
		{"TMPL-09", Pass, templated("a:{b}")},
		{"TMPL-09", Fail, templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t","mimeType":null}]}`)},
		{"TMPL-16", Pass, templated("a:{b}")},
		{"TMPL-16", Pass, templated("{+uri}")},
		{"TMPL-16", Warn, templated("/notes/{id}")},
	})
	walkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []run{{"URI-02", Fail, templated("my_app://{x}")}}, requirement.R20250618, modernOne)
	walkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []run{{"URI-02", Warn, templated("my_app://{x}")}}, requirement.R20241105)
	with := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`, Result: `{"resourceTemplates":[]}`}
	refused := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`, Error: noSuch}
	without := rt.Line{Step: "without-params", Method: "resources/templates/list", Error: noSuch}
	walkRuns(t, recording.TemplatesWithoutParams, `{"resources":{}}`, []run{
		{"TMPL-15", Fail, lines(with, without)},
		{"TMPL-15", NotApplicable, lines(refused, without)},
	})
}

func TestExpansions(t *testing.T) {
	read := func(step, result, err string, tags ...string) []rt.Line {
		return lines(taggedRead(step, `{"uri":"a:1"}`, result, err, append(tags, "template", "a:{b}", "listed", "yes")...))
	}
	typed := `{"contents":[{"uri":"a:1","mimeType":"Text/Plain; charset=utf-8","text":"hello"}]}`
	walkRuns(t, recording.Expansions, `{"resources":{}}`, []run{
		{"TMPL-10", Pass, read("expansion", typed, "", "mime", "text/plain")},
		{"TMPL-10", NotApplicable, read("expansion", oneText, "", "mime", "text/plain")},
		{"TMPL-10", Warn, read("expansion", typed, "", "mime", "image/png")},
		{"TMPL-11", Pass, read("expansion", oneText, "", "text", "hello")},
		{"TMPL-11", Pass, read("expansion", oneText, "", "text", "ell", "contains", "yes")},
		{"TMPL-11", Fail, read("expansion", oneText, "", "text", "ell")},
		{"TMPL-11", Fail, read("expansion", "", noSuch)},
		{"TMPL-11", NotApplicable, read("expansion", "", noSuch, "encoded", "yes", "text", "x")},
		{"TMPL-11", NotApplicable, lines(taggedRead("expansion", `{"uri":"a:1"}`, "", noSuch, "template", "a:{b}"))},
		{"TMPL-12", Warn, read("expansion", "", noSuch, "encoded", "yes", "text", "x")},
		{"TMPL-12", Pass, read("expansion", oneText, "", "encoded", "yes", "text", "hello")},
		{"TMPL-12", NotApplicable, read("expansion", "", noSuch, "encoded", "yes")},
		{"TMPL-13", Pass, read("query", oneText, "", "given", "q")},
		{"TMPL-13", Warn, read("query", "", noSuch, "given", "")},
	})
}
