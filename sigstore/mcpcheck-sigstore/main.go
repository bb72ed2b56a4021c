// Command mcpcheck-sigstore verifies a Sigstore bundle over the statement of a certificate. It needs no
// network: transparency log and timestamps stand in the bundle, and whom to trust in a file.
//
//	mcpcheck-sigstore verify --bundle FILE --trusted-root FILE --identity ID --issuer URL STATEMENT
//
// It ends with 0 and writes who has signed, with 1 if the signature does not hold, and with 2 on wrong usage.
// "mcpcheck verify" calls it. It has a module of its own since few need what it links.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	const invalid, usage = 1, 2
	f := flag.NewFlagSet("mcpcheck-sigstore verify", flag.ContinueOnError)
	f.SetOutput(stderr)
	signature := f.String("bundle", "", "the bundle, a `file`")
	trusted := f.String("trusted-root", "", "the trusted root, a `file`")
	identity := f.String("identity", "", "who has to have signed")
	issuer := f.String("issuer", "", "the `URL` of who vouches for the identity")
	if len(args) == 0 || args[0] != "verify" || f.Parse(args[1:]) != nil || f.NArg() != 1 ||
		*identity == "" ||
		*issuer == "" {
		fmt.Fprintln(stderr,
			"usage: mcpcheck-sigstore verify --bundle FILE --trusted-root FILE --identity ID "+
				"--issuer URL STATEMENT")
		return usage
	}
	if err := check(*signature, *trusted, *identity, *issuer, f.Arg(0)); err != nil {
		fmt.Fprintf(stderr, "the Sigstore bundle does not hold: %v\n", err)
		return invalid
	}
	fmt.Fprintf(stdout, "%s, as %s says\n", *identity, *issuer)
	return 0
}

// check says why a bundle does not hold. Of the signer's certificate it wants the promise of a log if the
// trusted root names such logs.
func check(signature, trusted, identity, issuer, statement string) error {
	roots, noRoot := root.NewTrustedRootFromPath(trusted)
	b, noBundle := bundle.LoadJSONFromPath(signature)
	text, noText := os.ReadFile(statement)
	who, nobody := verify.NewShortCertificateIdentity(issuer, "", identity, "")
	if err := errors.Join(noRoot, noBundle, noText, nobody); err != nil {
		return err
	}
	wants := []verify.VerifierOption{verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1)}
	if len(roots.CTLogs()) > 0 {
		wants = append(wants, verify.WithSignedCertificateTimestamps(1))
	}
	v, err := verify.NewVerifier(roots, wants...)
	if err == nil {
		_, err = v.Verify(b, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(text)),
			verify.WithCertificateIdentity(who)))
	}
	return err
}
