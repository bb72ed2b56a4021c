package main

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/mcpcheck/mcpcheck/suite/certificate/tree"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// certifyFlags are the flags of "mcpcheck certify" beside those of a run.
type certifyFlags struct {
	certificate.Input
	files, subjects           []string
	recording, out, key, date string
	submit                    string // a repository of certificates
	resolve                   bool
	private                   ed25519.PrivateKey
}

func (p *program) certifyCommand() *cobra.Command {
	o, x := &runFlags{}, &certifyFlags{date: os.Getenv("SOURCE_DATE_EPOCH")}
	c := helpcmd.New(help, "certify", nil, nil, nil)
	f := c.Flags()
	o.register(f)
	var ofRuns []string
	f.VisitAll(func(one *pflag.Flag) { ofRuns = append(ofRuns, one.Name) })
	o.outputs.register(f)
	helpcmd.Flags{
		{&x.files, "artifact", "a `file` that was judged (repeatable)"},
		{&x.subjects, "subject", "what was judged, as `NAME@sha256:HEX` (repeatable)"},
		keyFlag(&x.key),
		{&x.recording, "recording", "certify a run that \"mcpcheck run --record `FILE`\" recorded"},
		{&x.submit, "submit", "lay the certificate out in the repository of certificates in this " +
			"`directory`, below vendor/product/version"},
		{&x.date, "date", "the `time` of the certificate, as " +
			"2026-11-29T12:00:00Z or in seconds since 1970 (default that of SOURCE_DATE_EPOCH, or now)"},
		{&x.Publisher, "publisher", "who certifies, as a `text`"},
		{&x.resolve, "resolve",
			"ask the registry for version and digest of a package that the command starts, as " +
				"npx and uvx do"},
		{&o.others, othersFlag, ""},
	}.Add(f)
	f.StringVarP(&x.out, "output", "o", "", "write the certificate to this `file` (default SCOPE-OUTCOME"+
		certificate.Extension+")")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := errors.Join(notEmpty(c, "output", "key", "date", "recording", "submit"),
			x.read(o.Given())); err != nil {
			return err
		}
		x.Packages = func(t reports.Target) []certificate.Package {
			return packages(c.Context(), t, x.resolve, p.stderr)
		}
		if x.recording != "" {
			const over = "--recording stands for a run that is over: leave out "
			if len(args) > 0 {
				return badUsage(over + "the command")
			}
			if i := slices.IndexFunc(ofRuns, f.Changed); i >= 0 {
				return badUsage(over+"--%s", ofRuns[i])
			}
			return p.certifyRecording(o, x)
		}
		if x.submit != "" { // what it lacks is said before anything is run
			if t, err := o.connect.target(c, args); err == nil && t != nil {
				if _, _, err := tree.Place(&t.About); err != nil {
					return err
				}
			}
		}
		o.certify = func(r *engine.Run, live *reports.Report) error {
			var b bytes.Buffer
			if err := r.Record(&b); err != nil {
				return err
			}
			x.Recording = b.Bytes()
			_, err := p.certify(x, live)
			return err
		}
		return p.run(c, args, o)
	}
	c.AddCommand(p.schemaCommand("certificates", certificate.JSONSchema))
	return c
}

// read reads what flags name, before anything is run. written are the files of reports, by flag.
func (x *certifyFlags) read(written map[string]string) (err error) {
	written["--key"], written["--recording"] = x.key, x.recording
	if err := apart("--output", x.out, written); err != nil {
		return err
	}
	if err := output.Writable(cmp.Or(x.out, "full-conformant"+certificate.Extension)); err != nil ||
		x.out == "-" {
		return badUsage("--output %s: a certificate needs a file, and this is none that can be written",
			x.out)
	}
	if x.Artifacts, err = artifacts(x.files, x.subjects); err != nil {
		return err
	}
	x.Tool = tool()
	if x.date != "" {
		seconds, err := strconv.ParseInt(x.date, 10, 64)
		if x.Certified = time.Unix(seconds, 0); err != nil {
			x.Certified, err = time.Parse(time.RFC3339, x.date)
		}
		if err != nil {
			return badUsage("--date %q is no time such as 2026-11-29T12:00:00Z, nor seconds since 1970",
				x.date)
		}
		if x.Certified.After(time.Now()) {
			return badUsage("--date %q is in the future: nobody could verify the certificate", x.date)
		}
	}
	if path, err := os.Executable(); err == nil {
		if sum, err := digest(path); err == nil {
			x.Program = hex.EncodeToString(sum[:])
		}
	}
	x.private, err = privateKey(x.key)
	return err
}

// certifyRecording certifies a run that was recorded before.
func (p *program) certifyRecording(o *runFlags, x *certifyFlags) (err error) {
	if err := o.outputs.Check(""); err != nil {
		return err
	}
	if x.Recording, err = readFile(x.recording, certificate.MaxRecording); err != nil {
		return err
	}
	report, err := p.certify(x, nil)
	if err != nil {
		return badUsage("%s: %w", x.recording, err)
	}
	p.status = report.ExitCode(report.Config.Strict, false)
	o.outputs.mustWrite(p, report, write.Options{Strict: report.Config.Strict})
	return nil
}

// certify writes the certificate of a recording and returns its report. It writes none if the run itself has
// found something else; nil if that is not known.
func (p *program) certify(x *certifyFlags, live *reports.Report) (*reports.Report, error) {
	if x.Certified.IsZero() {
		x.Certified = time.Now() // no earlier than the run
	}
	made, err := certificate.New(x.Input)
	if err != nil {
		return nil, err
	}
	report, err := made.Report()
	if err == nil && x.private != nil {
		err = made.Sign(x.private)
	}
	if err != nil {
		return nil, err
	}
	if live != nil {
		live.Config.Command = "" // is known of the run alone
		if differ := certificate.Differences(live, report); differ != nil {
			return nil, fmt.Errorf("judged again the recording differs from the run: %s", differ[0])
		}
	}
	if x.submit != "" {
		at, err := tree.Submit(x.submit, made, report)
		if err != nil {
			return nil, err
		}
		p.note("wrote %s", at)
		if x.out == "" {
			return report, nil
		}
	}
	name := cmp.Or(x.out, fmt.Sprintf("%s-%s%s", report.Summary.Scope, report.Summary.Outcome,
		certificate.Extension))
	if err := output.File(name, made.Write); err != nil {
		return nil, err
	}
	p.note("wrote %s", name)
	return report, nil
}

func keyFlag(key *string) [3]any {
	return [3]any{key, "key", "sign with the Ed25519 key in this `file`: PEM, or as OpenSSH writes it"}
}

// maxKeys is how large files of keys may be, in bytes.
const maxKeys = 1 << 20

// privateKey reads the key in a file; nil if none is named.
func privateKey(path string) (key ed25519.PrivateKey, err error) {
	if path == "" {
		return nil, nil
	}
	data, err := readFile(path, maxKeys)
	if err != nil {
		return nil, err
	}
	if key, err = certificate.PrivateKey(data); err != nil {
		return nil, badUsage("--key %s: %w", path, err)
	}
	return key, nil
}

// readFile reads a file of so many bytes at most.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, badUsage("%s: %w", path, yamlfile.Unread(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || int64(len(data)) > most {
		return nil, badUsage("%s cannot be read, or is larger than %d bytes", path, most)
	}
	return data, nil
}

// readCertificate reads a certificate from a file.
func readCertificate(path string) (*certificate.Certificate, error) {
	data, err := readFile(path, certificate.MaxSize)
	if err != nil {
		return nil, err
	}
	c, err := certificate.Read(data)
	if err != nil {
		return nil, badUsage("%s: %w", path, err)
	}
	return c, nil
}

func (p *program) signCommand() *cobra.Command {
	var key string
	var signatures, bundles []string
	return helpcmd.New(help, "sign", oneCertificate, func(_ *cobra.Command, args []string) error {
		made, err := readCertificate(args[0])
		if err != nil {
			return err
		}
		private, err := privateKey(key)
		switch {
		case err != nil:
			return err
		case private != nil:
			err = made.Sign(private)
		case len(signatures)+len(bundles) == 0:
			return badUsage("there is nothing to sign with: give --key, --sshsig or --sigstore")
		}
		for _, path := range slices.Concat(signatures, bundles) {
			data, unread := readFile(path, maxKeys)
			if err = cmp.Or(err, unread); err == nil {
				err = made.Attach(data)
			}
		}
		if err != nil {
			return badUsage("the certificate is not signed: %w", err)
		}
		return output.File(args[0], made.Write)
	}, helpcmd.Flags{
		keyFlag(&key),
		{&signatures, "sshsig",
			"add this `file`, a signature that \"ssh-keygen -Y sign -n mcpcheck\" has made of " +
				"statement.json"},
		{&bundles, "sigstore", "add this `file`, a Sigstore bundle over statement.json"},
	})
}
