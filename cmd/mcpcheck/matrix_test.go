package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestShards(t *testing.T) {
	env := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	for _, test := range []struct {
		text string
		env  map[string]string
		want shard
	}{
		{"", nil, shard{1, 1}}, {"2/5", nil, shard{2, 5}},
		{"auto", map[string]string{"CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "4"}, shard{3, 4}},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "0", "MCPCHECK_SHARDS": "8"}, shard{1, 8}},
	} {
		if got, err := parseShard(test.text, env(test.env)); err != nil || got != test.want {
			t.Errorf("%q: %v, %v", test.text, got, err)
		}
	}
	for _, bad := range []string{"0/2", "3/2", "1", "a/b", "1/2/3", "auto", "-1/2"} {
		if _, err := parseShard(bad, env(nil)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestShardsPartition: each target is in exactly one shard.
func TestShardsPartition(t *testing.T) {
	for _, name := range []string{"a", "b", "server-everything", "x.y", "0"} {
		n := 0
		for i := 1; i <= 7; i++ {
			if (shard{i, 7}).holds(name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is in %d shards", name, n)
		}
	}
}

// TestDirectories: whatever a registry calls a server, its reports lie in one directory of the
// matrix, and in nobody else's.
func TestDirectories(t *testing.T) {
	names := []string{"a", "@scope/name", "scope/name", "scope-name", "@scope-name", "scope/name@1.2",
		"io.github.Owner/name", "index.html", "matrix.json", "con", "nul.txt",
		"a.", "x:y", "@scope/name.", strings.Repeat("n", 200)}
	seen := map[string]string{}
	for _, name := range names {
		if !named(name) {
			t.Errorf("%q is refused", name)
		}
		dir := (&matrixTarget{Name: name}).directory()
		if dir != filepath.Base(dir) || !filepath.IsLocal(dir) || len(dir) > 255 ||
			strings.ContainsAny(dir, `@:/\`) || strings.HasSuffix(dir, ".") {
			t.Errorf("%q lies in %q", name, dir)
		}
		if other := seen[strings.ToLower(dir)]; other != "" {
			t.Errorf("%q lies in %s like %q", name, dir, other)
		}
		seen[strings.ToLower(dir)] = name
	}
	for _, name := range []string{"", ".", "..", "../a", "a/..", "a/./b", "a//b", "/a", "a/", "@", "@/a",
		`a\b`, "a b", "a\x00b", "ü", strings.Repeat("n", 201)} {
		if named(name) {
			t.Errorf("%q is accepted", name)
		}
	}
}

// FuzzMatrixFile: a file is refused as wrong usage, or its reports lie in directories of their own
// below that of the matrix.
func FuzzMatrixFile(f *testing.F) {
	for _, s := range []string{
		"targets: [{name: a, command: [x]}]",
		"args: [--json=x]\ntargets: [{name: '@s/n', url: 'http://h', header_env: {A: B}}]",
		"targets: [{name: CON, config: t.yaml}, {name: con-1, config: u.yaml}]",
		"targets: [{name: a/../b, url: x}]", "targets: []", "- x", "{",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseMatrix("m.yaml", data)
		if _, failed := errors.AsType[failure](err); failed {
			t.Errorf("the error is a %T: %v", err, err)
		}
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for i := range file.Targets {
			dir := strings.ToLower(file.Targets[i].directory())
			if !filepath.IsLocal(dir) || strings.ContainsAny(dir, `/\:`) || dir == "." || seen[dir] {
				t.Errorf("the reports of %q lie in %q", file.Targets[i].Name, dir)
			}
			seen[dir] = true
		}
	})
}
