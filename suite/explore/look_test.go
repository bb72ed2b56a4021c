package explore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/explore"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestLook: what is suggested comes from the server.
func TestLook(t *testing.T) {
	accused, server, err := embedded.Complete(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := explore.Look(ctx, engine.Config{Target: accused, Limits: target.Limits{Reads: 20}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Revisions) != len(requirement.Revisions()) || found.TextURI == "" || found.BlobURI == "" ||
		len(found.Missing) == 0 || len(found.Complete) == 0 || len(found.Templates) == 0 {
		t.Errorf("found %+v", found)
	}
	if len(found.Completions) == 0 {
		t.Fatal("nothing was completed")
	}
	context := false
	for _, c := range found.Completions {
		i := slices.IndexFunc(found.Templates, func(x target.FoundTemplate) bool {
			return x.Template == c.Template
		})
		if i < 0 || !slices.Contains(found.Templates[i].Variables, c.Argument) || len(c.Values) == 0 {
			t.Errorf("%+v is not about a template of the server", c)
		}
		context = context || len(c.Context) > 0
	}
	if !context {
		t.Error("no second variable was completed in the context of the first")
	}
}
