// Package tree lays out and checks a repository of certificates: a directory in which each version of a
// product has its submission, in vendor/product/version. docs/certificate-repository.md explains its use.
package tree

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
)

// The files of a submission, all of which follow from the certificate.
const (
	productFile     = "PRODUCT.yaml" // what the certificate says about the product
	certificateFile = "certificate.mcpcert"
	pageFile        = "report.html"
	junitFile       = "junit.xml"
	readmeFile      = "README.md" // how to check and to repeat it
)

var names = []string{productFile, certificateFile, junitFile, pageFile, readmeFile}

// Place returns the directory of a submission, "vendor/product/version", and PRODUCT.yaml. The error names
// what is not known of the product; a package it need not have.
func Place(a *reports.About) (place string, product []byte, err error) {
	if a == nil {
		a = &reports.About{}
	}
	var missing, names []string
	for i, m := range [][2]string{{"vendor", a.Vendor}, {"product", a.Product}, {"version", a.Version},
		{"contact", a.Contact}, {"package", a.Package}} {
		name := safeName(m[1])
		names = append(names, name)
		if name == "" && i < 4 {
			missing = append(missing, "about."+m[0])
		}
		if text, err := json.Marshal(m[1]); m[1] != "" && err == nil { // it is YAML as well
			product = fmt.Appendf(product, "%s: %s\n", m[0], text)
		}
	}
	if missing != nil {
		return "", nil, fmt.Errorf("a submission says more of its product: give %s in a target file, and "+
			"name that with --config", strings.Join(missing, ", "))
	}
	return path.Join(names[:3]...), product, nil
}

var unsafe = regexp.MustCompile(`[^a-z0-9._]+`)

// safeName makes the name of a directory of a text: in lower case, with letters, digits, points and
// underscores of ASCII, other letters by their numbers in Unicode, as u00fc, and hyphens for all else. A text
// without a letter or digit has none.
func safeName(text string) string {
	const most = 80
	name := unsafe.ReplaceAllString(strings.ToLower(strconv.QuoteToASCII(text)), "-")
	return strings.Trim(name[:min(len(name), most)], "-._")
}

//go:embed readme.md.tmpl
var readmeText string

var readme = template.Must(template.New(readmeFile).Funcs(template.FuncMap{
	"text": func(s string) string { return safe.MarkdownText(safe.Clean(s, 300)) },
	"line": safe.Line, "shell": shell.Printable,
}).Parse(readmeText))

// Files returns the files of the submission of a certificate with what stands in them, and its directory.
func Files(c *certificate.Certificate, r *reports.Report) (place string, files map[string][]byte, err error) {
	place, product, err := Place(r.Target.About)
	if err != nil {
		return "", nil, err
	}
	rows := area.Catalogue()
	words := write.Options{Strict: r.Config.Strict, Areas: rows.Titles(), Describe: rows.Describe,
		Demand: rows.Demand}
	var whole, junit, page, text bytes.Buffer
	err = errors.Join(c.Write(&whole), write.JUnit(terminal.Harmless(&junit), r, words),
		write.HTML(terminal.Harmless(&page), r, words),
		readme.Execute(terminal.Harmless(&text), map[string]any{"About": r.Target.About,
			"Statement": &c.Statement, "Tool": r.Tool, "Result": write.Headline(r)}))
	return place, map[string][]byte{productFile: product, certificateFile: whole.Bytes(),
		junitFile: junit.Bytes(), pageFile: page.Bytes(), readmeFile: text.Bytes()}, err
}

// Submit writes the submission of a certificate below a directory, which is made where it is missing, and
// returns where. It replaces no other one.
func Submit(dir string, c *certificate.Certificate, r *reports.Report) (string, error) {
	place, files, err := Files(c, r)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close() //nolint:errcheck // what is written has been closed
	was, err := root.ReadFile(path.Join(place, certificateFile))
	if err == nil && !bytes.Equal(was, files[certificateFile]) {
		return "", fmt.Errorf("%s: another submission of this version is there; remove it if this one is to "+
			"replace it", path.Join(dir, place))
	}
	err = root.MkdirAll(place, 0o755)
	for _, name := range names {
		if err == nil {
			err = root.WriteFile(path.Join(place, name), files[name], 0o644)
		}
	}
	return path.Join(dir, place), err
}
