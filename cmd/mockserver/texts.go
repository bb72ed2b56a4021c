package main

import (
	_ "embed"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/plural"
)

//go:embed texts.txt.tmpl
var textsSource string

// texts are the templates of what people read.
var texts = template.Must(template.New("").Funcs(template.FuncMap{
	"join": strings.Join, "count": plural.Count, "short": short,
}).Parse(textsSource))

// phrases are the lines that one of them makes of data.
func phrases(name string, data any) []string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // they are embedded
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' })
}
