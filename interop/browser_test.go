package interop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	suite "github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// TestBrowser: a client in a page of another origin goes through a session, in headless Chromium,
// and is not accused of what the browser does on its own account.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("runs a browser: ", err)
	}
	world, err := reference.NamedWorld("small")
	if err != nil {
		t.Fatal(err)
	}
	server := reference.Start(t, world)
	pages := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	defer pages.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page := pages.URL + "/browser.html?url=" + url.QueryEscape(server.URL())
	// Not TempDir: what the browser has started may still write there when the test is over.
	profile, err := os.MkdirTemp("", "profile-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile) //nolint:errcheck // as above
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
		"--user-data-dir="+profile,
		"--virtual-time-budget=60000", "--dump-dom", page)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "read note:hello in a session") {
		t.Errorf("the page: %v\n%s", err, out)
	}
	asked := server.Journal().Query(journal.Query{Match: func(e *journal.Entry) bool {
		return e.HTTP != nil && e.HTTP.Method == http.MethodOptions
	}})
	if len(asked) == 0 {
		t.Error("the browser has not asked whether it may")
	}
	j, err := suite.From(server.Journal())
	if err != nil {
		t.Fatal(err)
	}
	r := suite.Judge(j, suite.Options{Ended: true, SingleClient: true})
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Red() {
			t.Error(finding(r, x))
		}
	}
}
