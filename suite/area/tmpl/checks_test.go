package tmpl_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/tmpl"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// templatesPage is a page of templates.
func templatesPage(result string) []rt.Line {
	l := areatest.Page("1d", `{}`, result)
	l.Method = "resources/templates/list"
	return areatest.Lines(l)
}

func templated(text string) []rt.Line {
	return templatesPage(`{"resourceTemplates":[{"uriTemplate":"` + text + `","name":"t"}]}`)
}

func TestTemplateList(t *testing.T) {
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`,
		areatest.Pass("TMPL-01", templatesPage(`{"resourceTemplates":[]}`)...),
		areatest.Fail("TMPL-01", templatesPage(`{"templates":[]}`)...),
		areatest.Pass("TMPL-02", templated("a:{b}")...),
		areatest.NotApplicable("TMPL-02", templatesPage(`{"resourceTemplates":[]}`)...),
		areatest.Fail("TMPL-02", templatesPage(`{"resourceTemplates":[{"uri":"a:{b}","name":"t"}]}`)...),
		areatest.Fail("TMPL-02", templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`)...),
		areatest.Pass("TMPL-04", templated("a:plain")...),
		areatest.Fail("TMPL-04", templated("file:///{path")...),
		areatest.Fail("TMPL-04", templated("file:///{}")...),
		areatest.Pass("TMPL-05", templated("a:{+b,c*}{?d:3}")...),
		areatest.Fail("TMPL-05", templated("db://{$table}")...),
		areatest.Warn("TMPL-05", templated("db://{@table}")...),
		areatest.Fail("TMPL-05", templated("note://{note-id}")...),
		areatest.Fail("TMPL-05", templated("x://{id:int}")...),
		areatest.Pass("TMPL-08", templated("file:///ü/{name}")...),
		areatest.Warn("TMPL-08", templated("file:///it's/{name}")...),
		areatest.Fail("TMPL-08", templated("file:///my docs/{name}")...),
		areatest.Pass("TMPL-09", templated("a:{b}")...),
		areatest.Fail("TMPL-09",
			templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t","mimeType":null}]}`)...),
		areatest.Pass("TMPL-16", templated("a:{b}")...),
		areatest.Pass("TMPL-16", templated("{+uri}")...),
		areatest.Warn("TMPL-16", templated("/notes/{id}")...),
	)
	areatest.WalkRunsIn(t, recording.WalkTemplates, `{"resources":{}}`,
		[]areatest.Run{areatest.Fail("URI-02", templated("my_app://{x}")...)},
		requirement.R20250618, areatest.ModernOne)
	areatest.WalkRunsIn(t, recording.WalkTemplates, `{"resources":{}}`,
		[]areatest.Run{areatest.Warn("URI-02", templated("my_app://{x}")...)},
		requirement.R20241105)
	with := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[]}`}
	refused := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`,
		Error: areatest.NoSuch}
	without := rt.Line{Step: "without-params", Method: "resources/templates/list", Error: areatest.NoSuch}
	areatest.WalkRuns(t, tmpl.TemplatesWithoutParams, `{"resources":{}}`,
		areatest.Fail("TMPL-15", with, without),
		areatest.NotApplicable("TMPL-15", refused, without),
	)
}

func TestExpansions(t *testing.T) {
	read := func(step recording.Step, result, err string, tags ...string) []rt.Line {
		return areatest.Lines(areatest.TaggedRead(step, `{"uri":"a:1"}`, result, err,
			append(tags, "template", "a:{b}", "listed", "yes")...))
	}
	typed := `{"contents":[{"uri":"a:1","mimeType":"Text/Plain; charset=utf-8","text":"hello"}]}`
	areatest.WalkRuns(t, recording.Expansions, `{"resources":{}}`,
		areatest.Pass("TMPL-10", read("expansion", typed, "", "mime", "text/plain")...),
		areatest.NotApplicable("TMPL-10", read("expansion", areatest.OneText, "", "mime", "text/plain")...),
		areatest.Warn("TMPL-10", read("expansion", typed, "", "mime", "image/png")...),
		areatest.Pass("TMPL-11", read("expansion", areatest.OneText, "", "text", "hello")...),
		areatest.Pass("TMPL-11",
			read("expansion", areatest.OneText, "", "text", "ell", "contains", "yes")...),
		areatest.Pass("TMPL-11",
			read("expansion", `{"contents":[{"uri":"a:1","blob":"w6k="}]}`, "", "text", "é")...),
		areatest.Fail("TMPL-11",
			read("expansion", `{"contents":[{"uri":"a:1","blob":"w6k="}]}`, "", "text", "è")...),
		areatest.Fail("TMPL-11", read("expansion", areatest.OneText, "", "text", "ell")...),
		areatest.Fail("TMPL-11", read("expansion", "", areatest.NoSuch)...),
		areatest.NotApplicable("TMPL-11",
			read("expansion", "", areatest.NoSuch, "encoded", "yes", "text", "x")...),
		areatest.NotApplicable("TMPL-11",
			areatest.TaggedRead("expansion", `{"uri":"a:1"}`, "", areatest.NoSuch, "template", "a:{b}")),
		areatest.Warn("TMPL-12", read("expansion", "", areatest.NoSuch, "encoded", "yes", "text", "x")...),
		areatest.Pass("TMPL-12",
			read("expansion", areatest.OneText, "", "encoded", "yes", "text", "hello")...),
		areatest.NotApplicable("TMPL-12", read("expansion", "", areatest.NoSuch, "encoded", "yes")...),
		areatest.Pass("TMPL-13", read("query", areatest.OneText, "", "given", "q")...),
		areatest.Warn("TMPL-13", read("query", "", areatest.NoSuch, "given", "")...),
	)
}
