package proof

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// canary is a secret with characters that every encoding changes.
func canary(name string) string { return "canary/" + name + "+8f2c==&?" + name + "\"x" }

// TestSecrets: what came from flags and target files as a secret appears in no
// output, although the target repeats it in results, errors, headers and URLs, in
// all encodings.
func TestSecrets(t *testing.T) {
	bad, err := badTarget()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"--label-filter",
		"area:LIST || area:READ || area:ERR || area:PAGE || area:URI || area:LIFE", "--revision",
		"2025-11-25", "--verbose"}
	t.Run("env", func(t *testing.T) {
		t.Parallel()
		o := run(t, nil, append(all, "--env", "CANARY_ONE="+canary("one"), "--", bad, "echo")...)
		hidden(t, o, canary("one"))
	})
	t.Run("header", func(t *testing.T) {
		t.Parallel()
		o := run(t, []string{"TOKEN=" + canary("three")},
			append(all, "--header", "X-Canary-Two: "+canary("two"),
				"--header-env", "X-Canary-Three=TOKEN", "--header", "Authorization: Bearer "+canary("four"),
				"--url", listen(t, "echo")+"?token="+url.QueryEscape(canary("five")))...)
		hidden(t, o, canary("two"), canary("three"), canary("four"), canary("five"))
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "target.yaml")
		text := fmt.Sprintf(`
endpoints:
  - command: [%q, echo]
    env:
      CANARY_SIX: ${SIX}
      CANARY_SEVEN: {value: %q, public: true}
  - url: %s
    headers:
      X-Canary-Eight: {env: EIGHT}
secrets: [%q]
`, bad, canary("seven"), listen(t, "echo"), canary("seven"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := run(t, []string{"SIX=" + canary("six"), "EIGHT=" + canary("eight")},
			append(all, "--config", file)...)
		hidden(t, o, canary("six"), canary("seven"), canary("eight"))
	})
}

// hidden checks that no output holds a secret in any form, and that the run went
// far enough for the target to have told it.
func hidden(t *testing.T, o *outcome, secrets ...string) {
	t.Helper()
	outputs := map[string]string{"stdout": o.stdout, "stderr": o.stderr}
	for name, file := range o.files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		outputs[name] = string(data)
	}
	if o.report == nil || o.report.Summary.Pass == 0 || !strings.Contains(outputs["record"], "***") {
		t.Fatalf("the target did not tell what it knows (status %d):\n%s\n%s", o.status, o.stdout, o.stderr)
	}
	for _, secret := range secrets {
		for form, text := range forms(secret) {
			for name, output := range outputs {
				if at := strings.Index(output, text); at >= 0 {
					t.Errorf("%s holds a secret, %s: …%.120q", name, form, output[max(at-60, 0):])
				}
			}
		}
	}
}

// forms are the forms in which a secret can be seen.
func forms(secret string) map[string]string {
	quoted := fmt.Sprintf("%q", secret)
	all := map[string]string{
		"plain": secret, "quoted": quoted[1 : len(quoted)-1], "escaped": url.QueryEscape(secret),
		"path": url.PathEscape(secret),
		// Parts are as bad as the whole.
		"begin": secret[:12],
	}
	percent := ""
	for _, c := range []byte(secret) {
		percent += fmt.Sprintf("%%%02x", c)
	}
	all["percent"] = percent
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", shift) + secret))
		// The digits at both ends depend on what stands around.
		all[fmt.Sprintf("base64 at %d", shift)] = text[4 : len(text)-8]
	}
	return all
}
