package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/tidwall/gjson"
)

// starts is a command that starts a package: its runner, the package as it was typed, name and version of it.
// Where a flag with a value stands before the package nothing is found.
var starts = regexp.MustCompile(`^(?:\S*/)?(npx|bunx|uvx|pipx run)(?: -\S+)* ` +
	`(((?:@[\w.~-]+/)?[A-Za-z][\w.~-]*)(?:\[[^\]]*\])?(?:(?:@|==)(?:(\d\S*)|\S+))?)(?: |$)`)

// packages lists the packages that the commands of a target start. With resolve registries are asked; what
// they do not tell is said.
func packages(ctx context.Context, t reports.Target, resolve bool,
	said io.Writer) (all []certificate.Package) {
	for _, e := range t.Endpoints {
		m := starts.FindStringSubmatch(cmp.Or(e.Started, e.Address))
		if m == nil {
			continue
		}
		p, name, version := certificate.Package{Spec: m[2]}, m[3], m[4]
		kind, ask, query := "npm", askNPM, p.Spec
		if m[1] == "uvx" || m[1] == "pipx run" {
			kind, ask, name = "pypi", askPyPI, strings.ToLower(strings.ReplaceAll(name, "_", "-"))
			query = strings.TrimSuffix(name+"/"+version, "/")
		}
		if resolve {
			found, digest := ask(ctx, query)
			if p.Digest, p.Resolved = digest, found != ""; p.Resolved {
				version = found
			} else {
				fmt.Fprintf(said, "mcpcheck: the registry does not tell which version of %s it is\n", p.Spec)
			}
		}
		if p.PURL = "pkg:" + kind + "/" + strings.Replace(name, "@", "%40", 1); version != "" {
			p.PURL += "@" + version
		}
		all = append(all, p)
	}
	return all
}

const askTime = 30 * time.Second

// askNPM asks the registry that npm is set up for. Both are empty if it does not answer.
func askNPM(ctx context.Context, spec string) (version, digest string) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "npm", "view", "--json", spec, "version", "dist.integrity").Output()
	return gjson.GetBytes(out, "version").Str, gjson.GetBytes(out, `dist\.integrity`).Str
}

// askPyPI asks PyPI about NAME or NAME/VERSION. The digest is that of the first file of the version.
func askPyPI(ctx context.Context, path string) (version, digest string) {
	client := http.Client{Timeout: askTime}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://pypi.org/pypi/"+path+"/json", nil)
	if err != nil {
		return "", ""
	}
	a, err := client.Do(q)
	if err != nil {
		return "", ""
	}
	defer a.Body.Close()
	const most = 16 << 20
	text, _ := io.ReadAll(io.LimitReader(a.Body, most))
	return gjson.GetBytes(text, "info.version").Str, gjson.GetBytes(text, "urls.0.digests.sha256").Str
}
