package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// matrixFile lists the targets of a matrix.
type matrixFile struct {
	// Args are flags of "mcpcheck run" for all targets.
	Args []string `yaml:"args"`
	// Wrap stands in front of the command of each target: see [box].
	Wrap    []string       `yaml:"wrap"`
	Targets []matrixTarget `yaml:"targets"`
}

// matrixTarget is one of them. Exactly one of Command, URL and Config is given, or Command
// and URL for a server that is to be started.
type matrixTarget struct {
	Name      string            `yaml:"name"`
	Command   []string          `yaml:"command"`
	URL       string            `yaml:"url"`
	Config    string            `yaml:"config"`
	Cwd       string            `yaml:"cwd"`
	Env       map[string]string `yaml:"env"`
	EnvPass   []string          `yaml:"env_pass"`
	EnvAll    bool              `yaml:"env_all"`
	HeaderEnv map[string]string `yaml:"header_env"`
	// Args are further flags of "mcpcheck run".
	Args []string `yaml:"args"`

	listed  *registered // nil if the target is in no registry
	secrets []string
	given   []string // variables for the process that judges it, "K=V": command lines can be seen by others
}

// targetName is what registries call servers: @scope/name, io.github.owner/name, name@1.2.
var targetName = regexp.MustCompile(`^@?[A-Za-z0-9][A-Za-z0-9._@:+~/-]*$`)

// plainName is what can be the name of a directory as it is, device what cannot on Windows.
var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$`)
	device    = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)`)
	unnamed   = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// longestName bounds names; with what is added to them directories have no more than 255
// characters.
const longestName = 200

// named reports whether a name can be that of a target: its parts are no way to another
// directory.
func named(name string) bool {
	return len(name) <= longestName && targetName.MatchString(name) &&
		!slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
			return strings.Trim(part, ".") == ""
		})
}

// directory is where the reports of a target lie, below that of the matrix. Names that are
// none for a directory are put into other words, and told apart by a hash; case does not
// tell names apart.
func (t *matrixTarget) directory() string {
	if plainName.MatchString(t.Name) && !device.MatchString(t.Name) &&
		!strings.EqualFold(t.Name, matrixJSON) && !strings.EqualFold(t.Name, matrixPage) {
		return t.Name
	}
	sum := sha256.Sum256([]byte(strings.ToLower(t.Name)))
	return strings.Trim(unnamed.ReplaceAllString(t.Name, "-"), ".-") + "-" + hex.EncodeToString(sum[:4])
}

// maxTargets bounds a matrix.
const maxTargets = 100_000

// readMatrixFile reads the list of targets; paths in it are relative to the file.
func readMatrixFile(path string) (*matrixFile, error) {
	data, err := readFile(path, yamlfile.MaxSize)
	if err != nil {
		return nil, err
	}
	return parseMatrix(path, data)
}

// parseMatrix reads what is in such a file.
func parseMatrix(path string, data []byte) (*matrixFile, error) {
	file := &matrixFile{}
	index, err := yamlfile.Decode(path, data, file)
	if err != nil {
		return nil, err
	}
	if len(file.Targets) == 0 {
		index.Fail("", "targets: a matrix needs at least one target")
	}
	if len(file.Targets) > maxTargets {
		index.Fail("targets", "targets: %d are more than %d", len(file.Targets), maxTargets)
	}
	for _, flag := range file.Args {
		if reserved(flag) {
			index.Fail("args", "args: %s is set by the matrix itself", flag)
		}
	}
	kept := map[string]int{}
	for i := range file.Targets {
		t := &file.Targets[i]
		field := fmt.Sprintf("targets[%d]", i)
		for _, message := range t.problems() {
			index.Fail(field, "%s: %s", field, message)
		}
		dir := strings.ToLower(t.directory())
		if first, ok := kept[dir]; ok && t.Name != "" {
			index.Fail(field+".name", "%s.name: %q is the name of targets[%d] too, as far as directories "+
				"have names: give another one", field, t.Name, first)
		} else {
			kept[dir] = i
		}
		t.rebase(filepath.Dir(path))
	}
	return file, index.Err()
}

func (t *matrixTarget) problems() []string {
	var list []string
	if !named(t.Name) {
		list = append(list,
			fmt.Sprintf("the name %q is no name such as everything, @scope/name or io.github.owner/name: "+
				"letters, digits and . _ - @ : + ~, in parts that are parted by /, %d characters at most",
				t.Name, longestName))
	}
	if (t.Config != "") == (len(t.Command)+len(t.URL) > 0) {
		list = append(list,
			"give one of command, url and config, or command and url for a server that is to be started")
	}
	if len(t.Command) == 0 && (t.Cwd != "" || len(t.Env)+len(t.EnvPass) > 0 || t.EnvAll) {
		list = append(list, "cwd, env, env_pass and env_all belong to a command")
	}
	if t.URL == "" && len(t.HeaderEnv) > 0 {
		list = append(list, "header_env belongs to a url")
	}
	for _, flag := range t.Args {
		if reserved(flag) {
			list = append(list, flag+" is set by the matrix itself")
		}
	}
	return list
}

// reserved reports whether a flag of "mcpcheck run" is not for a matrix file: where
// the target is and where reports go.
func reserved(flag string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	switch name {
	case "":
		return strings.HasPrefix(flag, "--") // the end of the flags
	case "json", "html", "junit", "markdown", "sarif", "record", "quiet", "verbose", "url", "serve", "config",
		"o", "output", "recording":
		return strings.HasPrefix(flag, "-")
	}
	return false
}

func (t *matrixTarget) rebase(dir string) {
	if t.Config != "" && !filepath.IsAbs(t.Config) {
		t.Config = filepath.Join(dir, t.Config)
	}
	if len(t.Command) > 0 && !filepath.IsAbs(t.Cwd) {
		t.Cwd = filepath.Join(dir, t.Cwd)
	}
}

// arguments are those of a command for the target, whose home is given.
func (t *matrixTarget) arguments(b *box, home string, common []string) []string {
	args := slices.Concat(common, t.Args)
	if t.listed != nil {
		t.Cwd = home
	}
	for _, name := range sortedKeys(t.HeaderEnv) {
		args = append(args, "--header-env", name+"="+t.HeaderEnv[name])
	}
	if t.URL != "" {
		args = append(args, "--url", t.URL)
	}
	switch {
	case len(t.Command) > 0: // below
	case t.URL != "":
		return args
	case t.Config != "":
		return append(args, "--config", t.Config)
	}
	args = append(args, "--cwd", t.Cwd)
	for _, pair := range b.shared {
		args = append(args, "--env", pair)
	}
	for _, name := range sortedKeys(t.Env) {
		args = append(args, "--env", name+"="+t.Env[name])
	}
	for _, name := range t.EnvPass {
		args = append(args, "--env-pass", name)
	}
	if t.EnvAll {
		args = append(args, "--env-all")
	}
	return append(append(args, "--"), b.around(t, home, t.Command)...)
}

// shard is a part of the targets: the index-th of count, from 1.
type shard struct{ index, count int }

// parseShard reads "2/5"; an empty text is the whole. "auto" asks the environment, in
// which GitLab puts CI_NODE_INDEX and CI_NODE_TOTAL, and a Kubernetes Indexed Job
// JOB_COMPLETION_INDEX, which counts from 0 and needs MCPCHECK_SHARDS beside it.
func parseShard(s string, getenv func(string) string) (shard, error) {
	switch s {
	case "":
		return shard{1, 1}, nil
	case "auto":
		index, count := getenv("CI_NODE_INDEX"), getenv("CI_NODE_TOTAL")
		if job, err := strconv.Atoi(getenv("JOB_COMPLETION_INDEX")); err == nil {
			index, count = strconv.Itoa(job+1), getenv("MCPCHECK_SHARDS")
		}
		if index == "" || count == "" {
			return shard{}, badUsage("--shard auto needs CI_NODE_INDEX and CI_NODE_TOTAL, or " +
				"JOB_COMPLETION_INDEX and MCPCHECK_SHARDS, in the environment")
		}
		s = index + "/" + count
	}
	a, b, ok := strings.Cut(s, "/")
	index, err := strconv.Atoi(a)
	count, err2 := strconv.Atoi(b)
	if err := errors.Join(err, err2); !ok || err != nil || index < 1 || count < 1 || index > count {
		return shard{}, badUsage("--shard %q is not I/N with I from 1 to N, such as 2/5", s)
	}
	return shard{index, count}, nil
}

// String is the shard as the flag has it; empty for the whole.
func (s shard) String() string {
	if s.count == 1 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.index, s.count)
}

// holds reports whether a target belongs to the shard. It depends on the name alone,
// so that a target stays where it is when others come and go.
func (s shard) holds(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	// #nosec G115 -- the number of shards is small and not negative
	return int(h.Sum32()%uint32(s.count)) == s.index-1
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
