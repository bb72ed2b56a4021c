package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/version"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/baseline"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help is the help of each command.
//
//go:embed help/*.txt
var help embed.FS

// root is the command tree, ready for arguments.
func (p *program) root(args []string) *cobra.Command {
	root := helpcmd.Root(help, "mcpcheck", version.Of(release).String()+", catalogue "+
		requirement.CatalogueVersion)
	root.Args = noArguments
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		err = helpcmd.FlagError(err)
		return badUsage("%w%s", err, flagHint(c, err))
	})
	flags, arguments := completed()
	root.AddCommand(p.runCommand(), p.planCommand(), p.initCommand(), p.listCommand(), p.explainCommand(),
		p.judgeCommand(), p.certifyCommand(), p.signCommand(), p.verifyCommand(), p.baselineCommand(),
		p.reportCommand(), p.matrixCommand(), p.compareCommand())
	helpcmd.Complete(root, flags, arguments)
	helpcmd.Finish(root, args, output.Width(p.stdout), badUsage)
	return root
}

// flagHint is what to do about a flag that was not understood.
func flagHint(c *cobra.Command, err error) string {
	missing, unknown := errors.AsType[*pflag.NotExistError](err)
	switch args := c.Flags().Args(); {
	case unknown && strings.Contains(missing.GetSpecifiedName(), " "):
		return ": a flag and its value are two words, and two lines in args of the " +
			"GitHub action"
	case unknown && len(args) > 0 && c.Flags().Lookup("serve") != nil:
		return fmt.Sprintf(": a flag of the server goes behind --, with its command, as in %q",
			c.CommandPath()+" -- "+strings.Join(args, " ")+" --"+missing.GetSpecifiedName())
	case unknown && c == c.Root() &&
		(&program{}).runCommand().Flags().Lookup(missing.GetSpecifiedName()) != nil:
		return fmt.Sprintf(": it is one of %q", c.Root().Name()+" run")
	case strings.HasSuffix(err.Error(), "?"):
		return ""
	}
	return cmp.Or(helpcmd.NearFlag(c, err), fmt.Sprintf("; %q shows the flags", c.CommandPath()+" --help"))
}

// takes says what arguments a command takes, and how many.
func takes(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return badUsage("%s takes %s", c.CommandPath(), what)
		}
		return nil
	}
}

func noArguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.HasSubCommands():
		return badUsage("there is no command %q%s", args[0], helpcmd.Hint(c, args[0]))
	}
	return badUsage("%s takes no argument such as %q; %q shows its flags", c.CommandPath(), args[0],
		c.CommandPath()+" --help")
}

// report prints an error in one sentence, or in one for each mistake in a target
// file or baseline, and returns the exit status.
func (p *program) report(err error) int {
	if output.Gone(p.stdout, err) {
		return exitNotEstablished // not all was written, as is known to who went away
	}
	status := exitUsage
	if _, failed := errors.AsType[failure](err); failed {
		status = exitNotEstablished
	}
	var config *target.ConfigError
	var known *baseline.Error
	var list *yamlfile.Error
	lines := []string{strings.TrimSpace(err.Error())}
	if errors.As(err, &config) || errors.As(err, &known) || errors.As(err, &list) {
		lines = strings.Split(lines[0], "\n")
	}
	for _, line := range lines {
		p.note("%s", safe.Clean(line, 1000)) // what it quotes can be of any length
	}
	return status
}

// release is set by the linker when a release is built.
var release string

// tool describes this program, from the information of its build.
func tool() reports.Tool {
	b := version.Of(release)
	return reports.Tool{Name: "mcpcheck", Version: b.Version, Commit: b.Commit,
		Catalogue: requirement.CatalogueVersion}
}

// completed is what shells complete of flags, and of the arguments of commands.
func completed() (flags, arguments map[string]helpcmd.Words) {
	revisions := func() []string { return requirement.Texts(requirement.Revisions()) }
	flags = map[string]helpcmd.Words{
		"only": rowWords, "skip": rowWords,
		"revision": revisions, "since": revisions,
		"transport":    func() []string { return requirement.Texts(requirement.Transports()) },
		"label-filter": labelWords,
	}
	return flags, map[string]helpcmd.Words{"explain": rowWords, "list": rowWords}
}

// labelWords are the keys of labels, and the values of those that have few.
func labelWords() []string {
	var all []string
	for _, key := range suite.LabelKeys() {
		all = append(all, key+":")
	}
	add := func(key string, values ...string) {
		for _, value := range values {
			all = append(all, key+":"+value)
		}
	}
	add("rev", requirement.Texts(requirement.Revisions())...)
	add("transport", requirement.Texts(requirement.Transports())...)
	add("profile", requirement.Profiles()...)
	for _, a := range area.Catalogue().Areas() {
		add("area", a.Name+"\t"+a.Title)
	}
	return all
}

// rowWords are the areas and the ids of requirements, with their titles.
func rowWords() []string {
	var all []string
	for _, a := range area.Catalogue().Areas() {
		all = append(all, a.Name+"\t"+a.Title)
	}
	for _, r := range area.Catalogue().Requirements() {
		all = append(all, r.ID+"\t"+r.Title)
	}
	return all
}
