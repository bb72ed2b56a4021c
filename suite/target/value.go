package target

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/internal/telling"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Value is the value of an HTTP header or an environment variable. It is a
// secret unless Public says otherwise: reports mask it.
type Value struct {
	// Value is the value itself. "${NAME}" stands for the environment
	// variable NAME, "${NAME:-default}" for a default where that is not set or
	// empty, "$${" for "${".
	Value string `yaml:"value"`
	// Env is the environment variable that holds the value.
	Env string `yaml:"env"`
	// Public says that the value is no secret.
	Public bool `yaml:"public"`
}

// Plain is a value given as it is: nothing in it is replaced.
func Plain(v string) Value { return Value{Value: strings.ReplaceAll(v, "${", "$${")} }

// FromEnv is the value of an environment variable.
func FromEnv(name string) Value { return Value{Env: name} }

// UnmarshalText reads the short form of a value: the value itself.
func (v *Value) UnmarshalText(text []byte) error {
	*v = Value{Value: string(text)}
	return nil
}

// String does not reveal the value, so that it can be printed.
func (v Value) String() string {
	if v.Env != "" {
		return "from " + v.Env
	}
	return "***"
}

// GoString does not reveal the value either.
func (v Value) GoString() string { return v.String() }

// Reveal is the value with everything replaced. It fails if an environment
// variable is not set.
func (v Value) Reveal() (string, error) {
	value, _, err := v.reveal()
	return value, err
}

// reveal also returns the parts that came from the environment.
func (v Value) reveal() (value string, parts []string, err error) {
	if v.Env != "" {
		s, ok := os.LookupEnv(v.Env)
		if !ok {
			return "", nil, fmt.Errorf("the environment variable %s is not set", v.Env)
		}
		return s, nil, nil
	}
	return expand(v.Value, os.LookupEnv)
}

// expand replaces ${NAME} and ${NAME:-default} by what lookup says, or the default, and $${ by ${.
// The parts are what lookup said: a default stands in the file, and is no secret by itself.
func expand(s string, lookup func(string) (string, bool)) (string, []string, error) {
	var b strings.Builder
	var parts []string
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), parts, nil
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		name, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return "", nil, fmt.Errorf("%q is not closed by }", "${")
		}
		name, otherwise, defaulted := strings.Cut(name, ":-")
		if strings.Contains(otherwise, "{") {
			return "", nil, fmt.Errorf("the default of %s must not contain {", name)
		}
		value, ok := lookup(name)
		switch {
		case defaulted && value == "":
			b.WriteString(otherwise)
		case !ok:
			return "", nil, fmt.Errorf("the environment variable %s is not set", name)
		default:
			b.WriteString(value)
			parts = append(parts, value)
		}
		s = rest
	}
}

// secrets are the value, what it was put together from, and, if it is of the
// form "Bearer TOKEN", the token, whatever the case of the scheme.
func (v Value) secrets() []string {
	if v.Public {
		return nil
	}
	value, parts, err := v.reveal()
	if err != nil {
		return nil
	}
	found := append(telling.Credentials(value), parts...)
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

// hidden stands for what reports do not show.
const hidden = "***"

// Address says where the endpoint is, in one line and without secrets: the
// command line, the URL as it was given, "pipe" or "handler".
func (e *Endpoint) Address() string {
	return e.AddressWithout(func(s string) string { return s })
}

// AddressWithout is [Endpoint.Address] where a function hides further secrets in each
// argument or in the URL. It does so before anything is quoted: quotes and escapes
// part what it looks for.
func (e *Endpoint) AddressWithout(hide func(string) string) string {
	switch {
	case e.URL != "":
		return hide(redactURL(cmp.Or(e.given, e.URL)))
	case len(e.Command) > 0:
		return e.CommandWithout(hide)
	case e.Pipe != nil:
		return "pipe"
	case e.Handler != nil:
		return "handler"
	}
	return ""
}

// CommandWithout is the command line of the endpoint, likewise; empty if it has none.
func (e *Endpoint) CommandWithout(hide func(string) string) string {
	args, _ := hideArgs(e.Command)
	for i := range args {
		args[i] = quoteArg(hide(args[i]))
	}
	return strings.Join(args, " ")
}

// NameWithout is what the endpoint is known by where it has no name of its own, likewise: the
// command line, if there is one, since that stays the same where its address is a free port; else
// the address.
func (e *Endpoint) NameWithout(hide func(string) string) string {
	return cmp.Or(e.CommandWithout(hide), e.AddressWithout(hide))
}

// ListensAt reports whether the endpoint is a handler that would be had at a host if it were
// served over a network; see [transport.Listener].
func (e *Endpoint) ListensAt(host string) bool {
	l, ok := e.Handler.(transport.Listener)
	return ok && l.ListensAt(host)
}

// Local reports whether the target runs on this machine or in a private
// network: a command, a server in this process, or a URL whose host is
// localhost or a loopback, link-local or private address. Host names are not
// looked up.
func (e *Endpoint) Local() bool {
	return e.at(func(ip netip.Addr) bool {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	})
}

// Loopback reports whether the target runs on this machine: it is [Endpoint.Local], and
// not at an address in a private network.
func (e *Endpoint) Loopback() bool {
	return e.at(func(ip netip.Addr) bool { return ip.IsLoopback() || ip.IsUnspecified() })
}

// at reports whether the endpoint is none at a URL, or at one whose host is localhost or an
// address for which something holds.
func (e *Endpoint) at(holds func(netip.Addr) bool) bool {
	if e.URL == "" {
		return true
	}
	u, err := parseURL(e.URL)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && holds(ip.Unmap())
}

// redactURL hides the user information, the values of the query, which may
// be keys, and what looks like a key in the path. What is no URL is hidden altogether.
func redactURL(raw string) string {
	u, err := parseURL(raw)
	if err != nil {
		return hidden
	}
	if u.User != nil {
		u.User = url.User(hidden)
	}
	if u.RawQuery != "" {
		pairs := strings.Split(u.RawQuery, "&")
		for i, p := range pairs {
			if name, _, ok := strings.Cut(p, "="); ok {
				pairs[i] = name + "=" + hidden
			} else {
				pairs[i] = hidden
			}
		}
		u.RawQuery = strings.Join(pairs, "&")
	}
	for _, key := range telling.PathKeys(u) {
		u.Path, u.RawPath = strings.ReplaceAll(u.Path, key, hidden), ""
	}
	return strings.ReplaceAll(written(u, raw), url.QueryEscape(hidden), hidden)
}

// written is what became of a URL that parseURL has read, with the mark of a port that is not known yet.
func written(u *url.URL, raw string) string {
	if portMarked(raw) {
		u.Host = strings.TrimSuffix(u.Host, anyPort) + transport.PortMark
	}
	return strings.ReplaceAll(u.String(), url.QueryEscape(transport.PortMark), transport.PortMark)
}

// anyPort stands for a port that is not known yet.
const anyPort = "0"

// portMarked reports whether a free port is to be put into a URL.
func portMarked(raw string) bool { return strings.Contains(raw, ":"+transport.PortMark) }

// parseURL reads a URL; a port that is not known yet is anyPort.
func parseURL(raw string) (*url.URL, error) {
	return url.Parse(strings.Replace(raw, ":"+transport.PortMark, ":"+anyPort, 1))
}

// urlSecrets are the password, the values of the query and the keys in the path of a URL.
func urlSecrets(raw string) []string {
	u, err := parseURL(raw)
	if err != nil {
		return nil
	}
	return telling.URL(u)
}

// hideArgs hides the values of options whose name tells that they are secret,
// such as --token=X or --api-key X, and those of HTTP headers, and returns them.
func hideArgs(args []string) (shown, secrets []string) {
	shown = make([]string, len(args))
	option := "" // the one that the argument may be the value of
	for i, arg := range args {
		before, secret, found := secretIn(option, arg)
		if found && i > 0 { // the program is no option
			shown[i], secrets = before+hidden, append(secrets, Plain(secret).secrets()...)
		} else if shown[i] = arg; strings.Contains(arg, "://") {
			shown[i], secrets = redactURL(arg), append(secrets, urlSecrets(arg)...)
		}
		option = ""
		if strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
			option = arg
		}
	}
	return shown, secrets
}

// secretIn finds what is secret in an argument that stands behind an option, if that is not empty, and what
// stands before it.
func secretIn(option, arg string) (before, secret string, found bool) {
	if !strings.HasPrefix(arg, "-") {
		if before, secret, found = secretHeader(option, arg); found {
			return before, secret, true
		} else if telling.Name(option) {
			return "", arg, true
		}
	}
	name, value, assigned := strings.Cut(arg, "=")
	switch {
	case assigned && name == "--header":
		before, secret, found = secretHeader(name, value)
		return name + "=" + before, secret, found
	case strings.HasPrefix(arg, "-H"):
		before, secret, found = secretHeader("-H", arg[len("-H"):])
		return "-H" + before, secret, found
	}
	return name + "=", value,
		assigned && telling.Name(name) && (strings.HasPrefix(name, "-") || variableForm.MatchString(name))
}

// secretHeader finds the value in an argument of the form "Name: value": of any header
// behind an option that takes one, else of one whose name tells that it is secret. The
// space may be missing where nothing but a header can be meant.
func secretHeader(option, arg string) (before, secret string, found bool) {
	name, value, colon := strings.Cut(arg, ":")
	value, spaced := strings.CutPrefix(value, " ")
	value = strings.TrimSpace(value)
	header := colon && value != "" && variableForm.MatchString(strings.ReplaceAll(name, "-", "_"))
	if header && (option == "--header" || option == "-H" || spaced && telling.Header(name) ||
		strings.EqualFold(name, "authorization")) {
		return name + ": ", value, true
	}
	return "", arg, option == "--header"
}

// variableForm is the form of the name of a variable.
var variableForm = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// quoteArg quotes an argument as a shell would need it; what is hidden is left as it
// is, since it cannot be run anyway.
func quoteArg(arg string) string {
	if plain := strings.ReplaceAll(arg, hidden, "x"); shell.Quote(plain) == plain {
		return arg
	}
	return shell.Printable(arg)
}
