package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// noticesName is the file of archives, packages and images with the terms of what is linked in.
const noticesName = "THIRD_PARTY_NOTICES.txt"

// listing has go list print a line for each package: its module, or Go, where that is, its own
// directory and the paths of its files.
var listing = "{{with .Module}}{{with or .Replace .}}{{.Path}}{{with .Version}} {{.}}{{end}}{{end}}" +
	"\t{{.Dir}}{{else}}Go " + runtime.Version() + "\t{{context.GOROOT}}{{end}}" +
	"\t{{.Dir}}{{range .GoFiles}}\t{{$.Dir}}/{{.}}{{end}}" +
	"{{range .SFiles}}\t{{$.Dir}}/{{.}}{{end}}{{range .EmbedFiles}}\t{{$.Dir}}/{{.}}{{end}}"

var (
	// legal matches the names of files to pass on; the group is that of licences.
	legal = regexp.MustCompile(`(?i)(licen[cs]e|copying)|copyright|notice|patents`)
	// comment matches comments of Go, assembly, JavaScript and CSS; granted finds those with terms.
	comment = regexp.MustCompile(`(?m)^[ \t]*/\*(?s:.*?)\*/|(?:^[ \t]*//.*\n)+`)
	granted = regexp.MustCompile(`(?is)copyright.*(permission\W+(is\W+hereby|to\W+use)|redistribution\W+and)`)
)

// notices returns the terms of all works that the programs for a platform are linked from: ours,
// Go, modules, and what was copied into these. A work without terms is an error. The programs are
// built in the same way.
func (r release) notices(p platform) ([]byte, error) {
	first := r.builds[0]
	args := append([]string{"list", "-deps", "-f", listing}, first.Flags...)
	for _, b := range r.builds {
		args = append(args, b.Main)
	}
	packages, err := first.goTool(p, args...)
	if err != nil {
		return nil, err
	}
	var sections []string
	for line := range strings.Lines(string(packages)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		texts, err := terms(f[0], f[1], f[2], f[3:])
		if err != nil {
			return nil, err
		}
		sections = append(sections, texts...)
	}
	slices.Sort(sections)
	const rule = "\n================================================================================\n"
	return fmt.Appendf(nil, "The programs for %s consist of these works, under these terms.\n%s%s",
		p, rule, strings.Join(slices.Compact(sections), rule)), nil
}

// terms returns those of a package of a work: in comments of its files, and in files with terms
// beside it and above, up to the root of the work.
func terms(work, root, dir string, files []string) (texts []string, err error) {
	sources, licensed := len(files), false
	for ; root != "" && len(dir) >= len(root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			m := legal.FindStringSubmatch(e.Name())
			if m == nil || e.IsDir() || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			files = append(files, filepath.Join(dir, e.Name()))
			licensed = licensed || m[1] != ""
		}
	}
	if !licensed {
		return nil, fmt.Errorf("%s is linked in, but there is no licence file in %s", work, root)
	}
	for i, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		text := string(data)
		if i >= sources {
			texts = append(texts, work+"\n\n"+text)
		} else if strings.Contains(text, "istribut") { // no terms lack it, and the search is slow
			for _, c := range comment.FindAllString(text, -1) {
				if granted.MatchString(c) {
					texts = append(texts, work+"\n\n"+c)
				}
			}
		}
	}
	return texts, nil
}
