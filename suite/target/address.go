package target

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
)

// hidden stands for what reports do not show.
const hidden = "***"

// Address says where the endpoint is, in one line and without secrets: the
// command line, the URL, "pipe" or "handler".
func (e *Endpoint) Address() string {
	return e.AddressWithout(func(s string) string { return s })
}

// AddressWithout is [Endpoint.Address] where a function hides further secrets in each
// argument or in the URL. It does so before anything is quoted: quotes and escapes
// part what it looks for.
func (e *Endpoint) AddressWithout(hide func(string) string) string {
	switch {
	case len(e.Command) > 0:
		args, _ := hideArgs(e.Command)
		for i := range args {
			args[i] = quoteArg(hide(args[i]))
		}
		return strings.Join(args, " ")
	case e.URL != "":
		return hide(redactURL(e.URL))
	case e.Pipe != nil:
		return "pipe"
	case e.Handler != nil:
		return "handler"
	}
	return ""
}

// Local reports whether the target runs on this machine or in a private
// network: a command, a server in this process, or a URL whose host is
// localhost or a loopback, link-local or private address. Host names are not
// looked up.
func (e *Endpoint) Local() bool {
	if e.URL == "" {
		return true
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
}

// redactURL hides the user information and the values of the query, which may
// be keys. What is no URL is hidden altogether.
func redactURL(raw string) string {
	u, err := url.Parse(raw)
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
	return strings.ReplaceAll(u.String(), url.QueryEscape(hidden), hidden)
}

// urlSecrets are the password and the values of the query of a URL.
func urlSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	var found []string
	if password, ok := u.User.Password(); ok {
		found = append(found, password)
	} else if name := u.User.Username(); name != "" {
		found = append(found, name) // a token in the place of the user
	}
	for name, values := range u.Query() {
		if telling(name) {
			found = append(found, values...)
		}
	}
	return found
}

// hideArgs hides the values of options whose name tells that they are secret,
// such as --token=X or --api-key X, and those of HTTP headers, and returns them.
func hideArgs(args []string) (shown, secrets []string) {
	shown = make([]string, len(args))
	option := "" // the one that the argument may be the value of
	for i, arg := range args {
		var found []string
		if i == 0 {
			shown[i], found = hideURL(arg) // the program, which is no option
		} else {
			shown[i], found = hideArg(option, arg)
		}
		secrets = append(secrets, found...)
		option = ""
		if strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
			option = arg
		}
	}
	return shown, secrets
}

// hideArg hides what is secret in an argument that stands behind an option, if that is
// not empty.
func hideArg(option, arg string) (shown string, secrets []string) {
	if !strings.HasPrefix(arg, "-") {
		if shown, secrets, ok := hideHeader(option, arg); ok {
			return shown, secrets
		}
		if telling(option) {
			return hidden, Plain(arg).secrets()
		}
	}
	name, value, assigned := strings.Cut(arg, "=")
	switch {
	case assigned && name == "--header":
		shown, secrets, _ := hideHeader(name, value)
		return name + "=" + shown, secrets
	case strings.HasPrefix(arg, "-H"):
		if shown, secrets, ok := hideHeader("-H", arg[len("-H"):]); ok {
			return "-H" + shown, secrets
		}
	case assigned && telling(name) && (strings.HasPrefix(name, "-") || isVariable(name)):
		return name + "=" + hidden, Plain(value).secrets()
	}
	return hideURL(arg)
}

// hideURL hides what is secret in an argument that has a URL in it.
func hideURL(arg string) (shown string, secrets []string) {
	if strings.Contains(arg, "://") {
		return redactURL(arg), urlSecrets(arg)
	}
	return arg, nil
}

// hideHeader hides the value of an argument of the form "Name: value": of any header
// behind an option that takes one, else of one whose name tells that it is secret. The
// space may be missing where nothing but a header can be meant.
func hideHeader(option, arg string) (shown string, secrets []string, ok bool) {
	name, value, colon := strings.Cut(arg, ":")
	value, spaced := strings.CutPrefix(value, " ")
	value = strings.TrimSpace(value)
	header := colon && value != "" && isVariable(strings.ReplaceAll(name, "-", "_"))
	switch {
	case header && (option == "--header" || option == "-H"):
	case header && (spaced && tellingHeader(name) || strings.EqualFold(name, "authorization")):
	case option == "--header":
		return hidden, Plain(arg).secrets(), true
	default:
		return arg, nil, false
	}
	return name + ": " + hidden, Plain(value).secrets(), true
}

// tellingHeader is [telling] for the name of an HTTP header.
func tellingHeader(name string) bool {
	name = strings.ToLower(name)
	return telling(name) || strings.HasSuffix(name, "cookie") || strings.HasSuffix(name, "-key")
}

// telling reports whether the name of an option, variable or query parameter
// tells that its value is a secret.
func telling(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"token", "secret", "passw", "passphrase", "api-key", "api_key", "apikey", "access-key", "access_key", "auth", "credential", "signature"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "key" || name == "--key" || name == "sig" || strings.HasSuffix(name, "_key")
}

func isVariable(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// quoteArg quotes an argument as a shell would need it; what is hidden is left as it
// is, since it cannot be run anyway.
func quoteArg(arg string) string {
	if plain := strings.ReplaceAll(arg, hidden, "x"); shell.Quote(plain) == plain {
		return arg
	}
	return shell.Printable(arg)
}
