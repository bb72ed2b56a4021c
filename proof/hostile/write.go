//go:build unix

package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/safe"
)

//go:embed page.md.tmpl
var pageText string

var page = template.Must(template.New("").Funcs(template.FuncMap{
	"budget": budget.String, "longest": func() time.Duration { return budget + ending },
	"mostMemory": func() int64 { return mostMemory }, "mib": mib, "seconds": time.Duration.Seconds,
	"cell": cell, "join": strings.Join,
}).Parse(pageText))

func mib(bytes int64) int64 { return bytes >> 20 }

// write writes the page; it returns how many cases are not as they should be.
func write(w io.Writer, all []*outcome) (wrong int, err error) {
	if err := page.Execute(w, all); err != nil || len(all) == 0 {
		return 0, err
	}
	for _, o := range all {
		if len(o.faults()) > 0 {
			wrong++
		}
	}
	slowest := slices.MaxFunc(all, func(a, b *outcome) int { return cmp.Compare(a.Took, b.Took) })
	largest := slices.MaxFunc(all, func(a, b *outcome) int { return cmp.Compare(a.Memory, b.Memory) })
	_, err = fmt.Fprintf(w, "\n%d of %d are as they should be. The longest run took %.1f s (%s), the largest "+
		"%d MiB (%s).\n", len(all)-wrong, len(all), slowest.Took.Seconds(), slowest.Name, mib(largest.Memory),
		largest.Name)
	return wrong, err
}

// cell is a text that fits into a table.
func cell(s string) string {
	s = strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;", "\n", " ").Replace(safe.Line(s))
	return safe.Shorten(s, 160)
}
