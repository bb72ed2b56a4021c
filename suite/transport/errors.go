package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// DialError says at which stage an HTTP+SSE connection could not be opened.
type DialError struct {
	// Stage is "connect" (no HTTP response), "status" (not 200),
	// "content-type" (not text/event-stream) or "endpoint" (no endpoint
	// event, or one that cannot be used).
	Stage string
	// Status is that of the HTTP response; 0 if there was none.
	Status int
	// Reason is the whole story in one sentence.
	Reason string
	// Cause is the error behind it, if any.
	Cause error
}

// Error is the reason.
func (e *DialError) Error() string { return e.Reason }

// Unwrap is the cause.
func (e *DialError) Unwrap() error { return e.Cause }

// worded is an error in words of ours, with its cause kept for errors.Is.
type worded struct {
	text  string
	cause error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.cause }

// httpError says in one sentence what went wrong with a request to u.
func httpError(u *url.URL, err error) error {
	at := u.Scheme + "://" + u.Host
	say := func(format string, args ...any) error {
		return &worded{fmt.Sprintf(format, args...), err}
	}
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("nothing listens at %s: connection refused", at)
	case errors.As(err, &dns):
		return say("the host of %s is not known: %s; check the spelling of the URL", at, dns.Err)
	case errors.As(err, &unknown):
		return say("the certificate of %s is not trusted: its issuer is unknown; name a file with the "+
			"issuer's certificate", at)
	case errors.As(err, &host), errors.As(err, &invalid):
		return say("the certificate of %s does not hold: %v", at, errors.Unwrap(err))
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return say("%s does not speak TLS; should the URL begin with http://?", at)
	case errors.As(err, &op) && op.Op == "dial":
		return say("no connection to %s: %v", at, op.Err)
	case errors.Is(err, context.DeadlineExceeded):
		return say("no connection to %s in the time allowed", at)
	case strings.Contains(err.Error(), "server response headers exceeded"): // the library has no type for it
		return beyond("the head of the response of %s is longer than %d bytes, more than is read of one", at,
			maxHead)
	case errors.Is(err, syscall.ECONNRESET):
		return say("%s cut the connection: connection reset", at)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return say("%s cut the connection in the middle of the response", at)
	case errors.Is(err, io.EOF):
		return say("%s closed the connection without a response", at)
	}
	return say("the exchange with %s failed: %v", at, err)
}

// unsent is why a message was not sent.
func unsent(err error) error { return fmt.Errorf("cannot send: %w", err) }

// LimitError is why we cut something off: it went beyond one of the [Limits].
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

func beyond(format string, args ...any) error { return &LimitError{fmt.Sprintf(format, args...)} }

// ended is why a context ended, in words: its own errors are for programs.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return &worded{"the time allowed is over", cause}
	case errors.Is(cause, context.Canceled):
		return &worded{"it is not needed any more", cause}
	}
	return cause
}
