//go:build unix

package hostile

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
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

// written is the page.
func written(t *testing.T, all []*outcome) []byte {
	var b bytes.Buffer
	if err := page.Execute(&b, all); err != nil || len(all) == 0 {
		t.Fatalf("there is no page of %d cases: %v", len(all), err)
	}
	good := slices.DeleteFunc(slices.Clone(all), func(o *outcome) bool { return len(o.faults()) > 0 })
	slowest := slices.MaxFunc(all, func(a, b *outcome) int { return cmp.Compare(a.Took, b.Took) })
	largest := slices.MaxFunc(all, func(a, b *outcome) int { return cmp.Compare(a.Memory, b.Memory) })
	fmt.Fprintf(&b, "\n%d of %d are as they should be. The longest run took %.1f s (%s), the largest "+
		"%d MiB (%s).\n", len(good), len(all), slowest.Took.Seconds(), slowest.Name, mib(largest.Memory),
		largest.Name)
	return b.Bytes()
}

// cell is a text that fits into a table.
func cell(s string) string {
	s = strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;", "\n", " ").Replace(safe.Line(s))
	return safe.Shorten(s, 160)
}
