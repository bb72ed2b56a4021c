package interop

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/interop/clients/outcome"
	"github.com/mcpcheck/mcpcheck/reference"
)

// sampled is from how many resources of a ready world on clients see some of them only, on as
// many pages: those of such worlds are much the same.
const sampled = 1000

// TestGoClientsSeeEveryWorld runs the clients that Go alone can build through the ready worlds.
func TestGoClientsSeeEveryWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs real clients")
	}
	for _, name := range goClients {
		for _, revision := range []string{"2025-11-25", modern} {
			seeWorlds(t, name, []string{os.Args[0], name}, revision, true)
		}
	}
}

// TestNodeClientsSeeEveryWorld runs those that need Node.js.
func TestNodeClientsSeeEveryWorld(t *testing.T) {
	node, dir := installNode(t)
	for name, revisions := range map[string][]string{"ts1": {"2025-11-25"}, "ts2": {"2025-11-25", modern},
		"inspector": {modern}} {
		for _, revision := range revisions {
			seeWorlds(t, name, []string{node, filepath.Join(dir, name+".mjs")}, revision, name != "inspector")
		}
	}
}

// seeWorlds has a client go through all ready worlds, and compares what it got with what they
// have. Unless it sees the whole of them, it lists the resources alone.
func seeWorlds(t *testing.T, name string, command []string, revision string, whole bool) {
	t.Helper()
	worlds, urls := map[string]reference.World{}, []string{}
	for _, world := range reference.WorldNames() {
		w, url := serveWorld(t, world)
		worlds[url] = w
		urls = append(urls, url)
	}
	result := filepath.Join(t.TempDir(), "outcome.json")
	cmd := exec.CommandContext(t.Context(), command[0],
		append(append(slices.Clone(command[1:]), revision, "walk"), urls...)...)
	cmd.Env = append(os.Environ(), outcome.File+"="+result)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var walks map[string]outcome.Walk
	if err := json.Unmarshal(data, &walks); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		t.Run(name+"/"+revision+"/"+worlds[url].Name,
			func(t *testing.T) { compareWalk(t, worlds[url], walks[url], revision, whole) })
	}
}

// serveWorld serves a ready world over HTTP, or a sample of one that is big.
func serveWorld(t *testing.T, name string) (w reference.World, url string) {
	t.Helper()
	w, err := reference.NamedWorld(name)
	if err != nil {
		t.Fatal(err)
	}
	w.Timeline = nil // what a client gets must not depend on how long it takes
	if all := w.Resources; len(all) > sampled {
		w.Resources = nil
		for i := 0; i < len(all); i += len(all) / (sampled / 10) {
			w.Resources = append(w.Resources, all[i])
		}
		w.PageSize = max(1, w.PageSize*len(w.Resources)/len(all))
	}
	server, err := reference.New(w, reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		_ = server.Close()
		listener.Close()
	})
	return w, listener.URL + "/mcp"
}

func compareWalk(t *testing.T, w reference.World, got outcome.Walk, revision string, whole bool) {
	t.Helper()
	if got.Error != "" {
		t.Fatal(got.Error)
	}
	resources, templates := []string{}, []string{}
	for _, r := range w.Resources {
		if r.Hidden {
			continue
		}
		resources = append(resources, r.URI)
		// These clients answer no questions; where one cannot be asked there is a default.
		asks := r.Input != nil && revision >= modern
		if why, refused := got.Refused[r.URI]; refused != (whole && asks) {
			t.Errorf("%s was refused: %t; %s", r.URI, refused, why)
		}
	}
	for _, x := range w.Templates {
		templates = append(templates, x.URITemplate)
	}
	if !slices.Equal(got.Resources, resources) {
		t.Errorf("the resources are %q; want %q", got.Resources, resources)
	}
	if whole && !slices.Equal(got.Templates, templates) {
		t.Errorf("the templates are %q; want %q", got.Templates, templates)
	}
}
