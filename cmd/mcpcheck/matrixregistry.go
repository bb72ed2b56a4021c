package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/registry"
	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// registered is what a registry says of a target.
type registered struct {
	*registry.Entry
	start  *registry.Start   // nil if it is not started
	why    *registry.Refusal // then
	digest string
}

// readRegistry makes a target of each entry of a registry.
func readRegistry(ctx context.Context, o *matrixOptions) (*matrixFile, error) {
	given := map[string]map[string]target.Value{}
	if o.values != "" {
		data, err := readFile(o.values, yamlfile.MaxSize)
		if err != nil {
			return nil, err
		}
		if _, err := yamlfile.Decode(o.values, data, &given); err != nil {
			return nil, err
		}
	}
	list, err := registry.Read(ctx, o.registry,
		"mcpcheck/"+tool().Version+" (+https://github.com/mcpcheck/mcpcheck)")
	if err != nil && strings.Contains(o.registry, "://") {
		return nil, impossible("--registry: %w", err) // the URL may have a password
	}
	if err != nil {
		return nil, badUsage("--registry %s: %w", o.registry, err)
	}
	file := &matrixFile{}
	for _, e := range list {
		values := map[string]string{}
		for name, value := range given[e.Server.Name] {
			if values[name], err = value.Reveal(); err != nil {
				return nil, badUsage("%s: %s: %s: %w", o.values, e.Server.Name, name, err)
			}
		}
		l := &registered{Entry: e}
		l.start, l.why = e.Start(values, func(program string) bool {
			_, err := exec.LookPath(program)
			return err == nil
		})
		file.Targets = append(file.Targets, l.target())
	}
	return file, nil
}

// target is the target of an entry.
func (l *registered) target() matrixTarget {
	t := matrixTarget{Name: l.Name, listed: l, HeaderEnv: map[string]string{}}
	s := l.start
	if s == nil {
		return t
	}
	t.Command, t.URL, t.Env, t.EnvPass, t.secrets = s.Command, s.URL, s.Env, sortedKeys(s.Given), s.Secrets
	give := func(value string) string {
		name := fmt.Sprintf("MCPCHECK_VALUE_%d", len(t.given))
		t.given = append(t.given, name+"="+value)
		return name
	}
	for name, value := range s.Headers {
		t.HeaderEnv[name] = give(value)
	}
	for _, value := range s.Secrets {
		if len(value) >= mask.MinLength {
			t.Args = append(t.Args, "--secret-env", give(value))
		}
	}
	for name, value := range s.Given {
		t.given = append(t.given, name+"="+value)
	}
	if s.URL != "" {
		t.Args = append(t.Args, "--transport", strings.TrimPrefix(s.Transport, "streamable-"))
	}
	return t
}

// settle computes the digests of targets, keeps the columns that an earlier matrix has for the same digests,
// and returns the other targets.
func (r *matrixRun) settle(targets []*matrixTarget) (left []*matrixTarget) {
	old, err := readMatrix(filepath.Join(r.o.out, matrixJSON))
	if err != nil || r.o.again == againAll {
		old = &reports.Matrix{} // so all are judged
	}
	rows, _ := area.Portable() // a test writes them
	r.rows = fmt.Sprintf("%x", sha256.Sum256(rows))
	columns := map[string]reports.MatrixTarget{}
	for _, c := range old.Targets {
		columns[c.Digest] = c
	}
	for _, t := range targets {
		// Texts can always be written.
		text, _ := json.Marshal([]any{tool(), r.rows, r.flags, r.box.wrap, t.listed.Body, t.listed.start})
		t.listed.digest = fmt.Sprintf("%x", sha256.Sum256(text))
		was, found := columns[t.listed.digest]
		_, missing := os.Stat(filepath.Join(r.o.out, was.Certificate)) // or the directory, if there is none
		if t.listed.why != nil || !found || missing != nil ||
			was.Status != reports.MatrixJudged && r.o.again == againFailed {
			left = append(left, t)
		} else {
			r.m.Requirements, r.m.Targets = old.Requirements, append(r.m.Targets, was)
		}
	}
	if n := len(targets) - len(left); n > 0 {
		r.p.note("%d of %d servers have not changed since they were judged", n, len(targets))
	}
	return left
}

var (
	// daemon fits what docker says where nothing runs that starts containers.
	daemon = regexp.MustCompile(`(?i)cannot connect to the docker daemon|failed to connect to the docker API`)
	// blames fits lines of package managers that say what went wrong.
	blames = regexp.MustCompile(`(?im)^.*\b(?:error|not found|because|cannot|denied|failed|refused)\b.*$`)
	// keyless fits errors of runs that want credentials.
	keyless = regexp.MustCompile(`HTTP 40[13]\b|` + environ.Misses)
)

// install fetches the package of a target into its home, or says why that is not possible.
func (r *matrixRun) install(ctx context.Context, t *matrixTarget, home string) *registry.Refusal {
	if t.listed == nil || len(t.listed.start.Install) == 0 {
		return nil
	}
	words := r.box.around(t, home, t.listed.start.Install)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = home
	cmd.Env = environ.Of(append(slices.Clone(r.box.shared), "HOME="+home))
	procgroup.Separate(cmd)
	cmd.Cancel = func() error { return procgroup.Kill(cmd.Process.Pid) }
	cmd.WaitDelay = 5 * time.Second
	said := transport.NewTail(64 << 10)
	cmd.Stdout, cmd.Stderr = said, said
	err := procgroup.Start(cmd)
	if err == nil {
		err = procgroup.Wait(cmd)
	}
	if err == nil || ctx.Err() != nil {
		return nil
	}
	status := reports.MatrixNotInstalled
	if daemon.MatchString(said.String()) {
		status = reports.MatrixNotStartable
	}
	why := safe.Clean(strings.Join(blames.FindAllString(said.String(), 3), "; "), 400)
	return &registry.Refusal{Status: status,
		Reason: fmt.Sprintf("%s cannot be fetched (%v): %s", t.listed.start.What, err, why)}
}

// ended says what became of a server that was judged, or was to be.
func (l *registered) ended(column *reports.MatrixTarget) {
	column.Package, column.Digest = safe.Clean(l.start.What, 300), l.digest
	column.JudgedAt = time.Now().UTC().Format(time.RFC3339)
	switch {
	case column.Extent != reports.ExtentNowhere || column.Status != reports.MatrixJudged:
	case keyless.MatchString(column.Error):
		column.Status = reports.MatrixNeedsKey
	case len(l.start.Without) > 0:
		column.Status = reports.MatrixNeedsKey
		column.Error += "; its entry lists as a secret, though not as required: " +
			strings.Join(l.start.Without, ", ")
	default:
		column.Status = reports.MatrixBroken
	}
}

// registryFile is where a host of files serves the registry.
func (r *matrixRun) registryFile() string { return filepath.Join(r.o.out, "v0.1", "servers") }

// writeRegistry writes the valid entries as a registry would list them, with our results: less than the 4 KiB
// that registries allow in _meta.
func (r *matrixRun) writeRegistry(targets []*matrixTarget) error {
	columns := map[string]reports.MatrixTarget{}
	for _, c := range r.m.Targets {
		columns[c.Name] = c
	}
	servers := []any{}
	for _, t := range targets {
		c := columns[t.Name]
		if c.Status == reports.MatrixInvalid {
			continue
		}
		at := ""
		if c.Certificate != "" && r.o.certificateURL != "" {
			at = strings.TrimSuffix(r.o.certificateURL, "/") + "/" + c.Certificate
		}
		c.Verdicts, c.Error = nil, safe.Clean(c.Error, 200)
		c.Judged = slices.Clone(c.Judged)
		for i := range c.Judged {
			c.Judged[i].By = c.Judged[i].By[:min(len(c.Judged[i].By), 15)] // the certificate has all
		}
		servers = append(servers, t.listed.Annotated(r.o.meta+"/mcpcheck", map[string]any{"tool": tool(),
			"requirements": r.rows, "certificateUrl": at, "result": c}))
	}
	if err := os.MkdirAll(filepath.Dir(r.registryFile()), 0o755); err != nil {
		return err
	}
	return output.File(r.registryFile(), func(w io.Writer) error {
		return terminal.WriteJSON(w, "registry", "", map[string]any{"servers": servers,
			"metadata": map[string]int{"count": len(servers)}})
	})
}
