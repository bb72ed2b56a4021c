package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/mcpcheck/mcpcheck/suite/certificate/tree"
	"github.com/spf13/cobra"
)

// verifyFlags say what a certificate has to fulfil.
type verifyFlags struct {
	certificate.Options
	trust                                            []string
	maxAge, require, program, root, identity, issuer string
}

func (x *verifyFlags) flags() helpcmd.Flags {
	return helpcmd.Flags{
		{&x.trust, "trust",
			"the statement has to be signed by a key in this `file`: allowed_signers lines of OpenSSH, or " +
				"a public key in PEM (repeatable)"},
		{&x.RequireSignature, "require-signature", "refuse a certificate that nobody has signed"},
		{&x.maxAge, "max-age", "refuse a run that began longer ago than this `time`, such as 90d or 36h"},
		{&x.require, "require", "refuse another `outcome` than this one of a full run: conformant"},
		{&x.root, "trusted-root", "verify Sigstore bundles by the trusted root in this `file`"},
		{&x.identity, "sigstore-identity", "the `identity` in the certificate of a Sigstore bundle"},
		{&x.issuer, "sigstore-issuer", "the `URL` of who vouches for the identity"},
		{&x.program, "sigstore-program",
			"the `program` that verifies Sigstore bundles (default mcpcheck-sigstore on PATH)"},
	}
}

// read reads the flags.
func (x *verifyFlags) read() error {
	x.Tool, x.Require = tool(), reports.Outcome(x.require)
	if x.Require != "" && x.Require != reports.Conformant {
		return badUsage("--require takes %s, and not %q", reports.Conformant, x.require)
	}
	if x.root != "" || x.identity != "" || x.issuer != "" {
		x.Sigstore = x.sigstore
	}
	for _, path := range x.trust {
		data, err := readFile(path, maxKeys)
		if err != nil {
			return err
		}
		keys, err := certificate.TrustedKeys(data)
		if err != nil {
			return badUsage("--trust %s: %w", path, err)
		}
		x.Trust = append(x.Trust, keys...)
	}
	if x.maxAge == "" {
		return nil
	}
	age, unit := x.maxAge, time.Duration(1)
	if days, ok := strings.CutSuffix(age, "d"); ok {
		age, unit = days+"h", 24
	}
	d, err := time.ParseDuration(age)
	if x.MaxAge = unit * d; err != nil || x.MaxAge <= 0 {
		return badUsage("--max-age %q is no time such as 90d or 36h", x.maxAge)
	}
	return nil
}

func (p *program) verifyCommand() *cobra.Command {
	x, trees, asJSON := &verifyFlags{}, &treeFlags{}, false
	return helpcmd.New(help, "verify", nil, func(c *cobra.Command, args []string) error {
		if err := errors.Join(notEmpty(c, "tree", "site"), x.read()); err != nil {
			return err
		}
		if trees.dir+trees.site != "" || len(args) != 1 {
			return p.verifyTree(c, trees, args, tree.Options{Options: x.Options}, asJSON)
		}
		v := certificate.Verdict{Notes: []string{}, Signers: []string{}}
		made, err := readCertificate(args[0])
		if damage := (*certificate.DamageError)(nil); errors.As(err, &damage) {
			v.Problems = damage.Problems
		} else if err != nil {
			return err
		} else {
			v = certificate.Verify(c.Context(), made, x.Options)
		}
		if len(v.Problems) > 0 {
			p.status = exitFindings
		}
		if asJSON {
			return output.JSON(p.stdout, v)
		}
		return p.tellVerdict(made, &v)
	}, append(x.flags(), helpcmd.Flags{
		{&trees.dir, "tree",
			"verify all submissions in the repository of certificates in this `directory`"},
		{&trees.site, "site",
			"with --tree, write a site of what holds into this `directory`, which is new or empty"},
		{&asJSON, "json", "write the result as JSON"},
	}...))
}

// tellVerdict says what a verification has found.
func (p *program) tellVerdict(made *certificate.Certificate, v *certificate.Verdict) error {
	last := "NOT VERIFIED: " + plural.Count(len(v.Problems), "reason")
	if len(v.Problems) == 0 {
		report, err := made.Report()
		if err != nil {
			return impossible("%w", err)
		}
		judged, _ := time.Parse(time.RFC3339, v.Statement.Judged) // it was verified
		last = fmt.Sprintf("VERIFIED  %s  %s; %d passed, %d not applicable; signed by %s; judged %s, %s ago",
			safe.Clean(v.Statement.Title(), 200),
			write.Headline(report), report.Summary.Pass, report.Summary.NotApplicable,
			cmp.Or(strings.Join(v.Signers, ", "), "nobody"),
			judged.Format(time.DateOnly), certificate.Days(time.Since(judged)))
	}
	return p.tell(v.Problems, v.Notes, last)
}

// tell says what is wrong, what is worth knowing, and the result.
func (p *program) tell(problems, notes []string, last string) error {
	for _, s := range problems {
		fmt.Fprintln(p.stdout, "✗ "+s)
	}
	for _, s := range notes {
		fmt.Fprintln(p.stdout, "· "+s)
	}
	_, err := fmt.Fprintln(p.stdout, last)
	return err
}

// sigstoreProgram verifies Sigstore bundles. It stands alone since few need what it links.
const sigstoreProgram = "mcpcheck-sigstore"

// sigstore verifies a bundle by [sigstoreProgram] and returns who signed.
func (x *verifyFlags) sigstore(ctx context.Context, statement, bundle []byte) (who string, err error) {
	if x.root == "" || x.identity == "" || x.issuer == "" {
		return "",
			errors.New("a Sigstore bundle needs --trusted-root, --sigstore-identity and --sigstore-issuer")
	}
	program, err := exec.LookPath(cmp.Or(x.program, sigstoreProgram))
	if err != nil {
		return "", fmt.Errorf("there is no %[1]s on PATH: build it by \"go build -C sigstore ./%[1]s\" in a "+
			"checkout of mcpcheck, or unzip the certificate and run \"cosign verify-blob --bundle FILE "+
			"--trusted-root %[2]s --certificate-identity %[3]s --certificate-oidc-issuer %[4]s "+
			"statement.json\"",
			sigstoreProgram, x.root, x.identity, x.issuer)
	}
	dir, err := os.MkdirTemp("", "mcpcheck-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	const private, most = 0o600, time.Minute
	text, signature := filepath.Join(dir, certificate.StatementMember), filepath.Join(dir, "bundle.json")
	err = errors.Join(os.WriteFile(text, statement, private), os.WriteFile(signature, bundle, private))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "verify", "--bundle", signature, "--trusted-root", x.root,
		"--identity", x.identity, "--issuer", x.issuer, text).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %s (%w)", filepath.Base(program), out, err)
	}
	return strings.TrimSpace(string(out)), nil
}
