package tmpl_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/tmpl"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
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
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []areatest.Run{
		{ID: "TMPL-01", Want: verdict.Pass, Rec: templatesPage(`{"resourceTemplates":[]}`)},
		{ID: "TMPL-01", Want: verdict.Fail, Rec: templatesPage(`{"templates":[]}`)},
		{ID: "TMPL-02", Want: verdict.Pass, Rec: templated("a:{b}")},
		{ID: "TMPL-02", Want: verdict.NotApplicable, Rec: templatesPage(`{"resourceTemplates":[]}`)},
		{ID: "TMPL-02", Want: verdict.Fail,
			Rec: templatesPage(`{"resourceTemplates":[{"uri":"a:{b}","name":"t"}]}`)},
		{ID: "TMPL-02", Want: verdict.Fail,
			Rec: templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`)},
		{ID: "TMPL-04", Want: verdict.Pass, Rec: templated("a:plain")},
		{ID: "TMPL-04", Want: verdict.Fail, Rec: templated("file:///{path")},
		{ID: "TMPL-04", Want: verdict.Fail, Rec: templated("file:///{}")},
		{ID: "TMPL-05", Want: verdict.Pass, Rec: templated("a:{+b,c*}{?d:3}")},
		{ID: "TMPL-05", Want: verdict.Fail, Rec: templated("db://{$table}")},
		{ID: "TMPL-05", Want: verdict.Warn, Rec: templated("db://{@table}")},
		{ID: "TMPL-05", Want: verdict.Fail, Rec: templated("note://{note-id}")},
		{ID: "TMPL-05", Want: verdict.Fail, Rec: templated("x://{id:int}")},
		{ID: "TMPL-08", Want: verdict.Pass, Rec: templated("file:///ü/{name}")},
		{ID: "TMPL-08", Want: verdict.Warn, Rec: templated("file:///it's/{name}")},
		{ID: "TMPL-08", Want: verdict.Fail, Rec: templated("file:///my docs/{name}")},
		{ID: "TMPL-09", Want: verdict.Pass, Rec: templated("a:{b}")},
		{ID: "TMPL-09", Want: verdict.Fail,
			Rec: templatesPage(`{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t","mimeType":null}]}`)},
		{ID: "TMPL-16", Want: verdict.Pass, Rec: templated("a:{b}")},
		{ID: "TMPL-16", Want: verdict.Pass, Rec: templated("{+uri}")},
		{ID: "TMPL-16", Want: verdict.Warn, Rec: templated("/notes/{id}")},
	})
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`,
		[]areatest.Run{{ID: "URI-02", Want: verdict.Fail, Rec: templated("my_app://{x}")}},
		requirement.R20250618, areatest.ModernOne)
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`,
		[]areatest.Run{{ID: "URI-02", Want: verdict.Warn, Rec: templated("my_app://{x}")}},
		requirement.R20241105)
	with := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[]}`}
	refused := rt.Line{Step: "with-params", Method: "resources/templates/list", Params: `{}`,
		Error: areatest.NoSuch}
	without := rt.Line{Step: "without-params", Method: "resources/templates/list", Error: areatest.NoSuch}
	areatest.WalkRuns(t, tmpl.TemplatesWithoutParams, `{"resources":{}}`, []areatest.Run{
		{ID: "TMPL-15", Want: verdict.Fail, Rec: areatest.Lines(with, without)},
		{ID: "TMPL-15", Want: verdict.NotApplicable, Rec: areatest.Lines(refused, without)},
	})
}

func TestExpansions(t *testing.T) {
	read := func(step recording.Step, result, err string, tags ...string) []rt.Line {
		return areatest.Lines(areatest.TaggedRead(step, `{"uri":"a:1"}`, result, err,
			append(tags, "template", "a:{b}", "listed", "yes")...))
	}
	typed := `{"contents":[{"uri":"a:1","mimeType":"Text/Plain; charset=utf-8","text":"hello"}]}`
	areatest.WalkRuns(t, recording.Expansions, `{"resources":{}}`, []areatest.Run{
		{ID: "TMPL-10", Want: verdict.Pass, Rec: read("expansion", typed, "", "mime", "text/plain")},
		{ID: "TMPL-10", Want: verdict.NotApplicable, Rec: read("expansion", areatest.OneText, "", "mime",
			"text/plain")},
		{ID: "TMPL-10", Want: verdict.Warn, Rec: read("expansion", typed, "", "mime", "image/png")},
		{ID: "TMPL-11", Want: verdict.Pass, Rec: read("expansion", areatest.OneText, "", "text", "hello")},
		{ID: "TMPL-11", Want: verdict.Pass, Rec: read("expansion", areatest.OneText, "", "text", "ell",
			"contains", "yes")},
		{ID: "TMPL-11", Want: verdict.Pass,
			Rec: read("expansion", `{"contents":[{"uri":"a:1","blob":"w6k="}]}`, "", "text", "é")},
		{ID: "TMPL-11", Want: verdict.Fail,
			Rec: read("expansion", `{"contents":[{"uri":"a:1","blob":"w6k="}]}`, "", "text", "è")},
		{ID: "TMPL-11", Want: verdict.Fail, Rec: read("expansion", areatest.OneText, "", "text", "ell")},
		{ID: "TMPL-11", Want: verdict.Fail, Rec: read("expansion", "", areatest.NoSuch)},
		{ID: "TMPL-11", Want: verdict.NotApplicable, Rec: read("expansion", "", areatest.NoSuch, "encoded",
			"yes", "text", "x")},
		{ID: "TMPL-11", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.TaggedRead("expansion", `{"uri":"a:1"}`, "", areatest.NoSuch,
				"template", "a:{b}"))},
		{ID: "TMPL-12", Want: verdict.Warn, Rec: read("expansion", "", areatest.NoSuch, "encoded", "yes",
			"text", "x")},
		{ID: "TMPL-12", Want: verdict.Pass, Rec: read("expansion", areatest.OneText, "", "encoded", "yes",
			"text", "hello")},
		{ID: "TMPL-12", Want: verdict.NotApplicable, Rec: read("expansion", "", areatest.NoSuch, "encoded",
			"yes")},
		{ID: "TMPL-13", Want: verdict.Pass, Rec: read("query", areatest.OneText, "", "given", "q")},
		{ID: "TMPL-13", Want: verdict.Warn, Rec: read("query", "", areatest.NoSuch, "given", "")},
	})
}
