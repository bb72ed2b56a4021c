package target

import (
	"net/netip"
	"net/url"
	"strings"
)

// hidden stands for what reports do not show.
const hidden = "***"

// Address says where the endpoint is, in one line and without secrets: the
// command line, the URL, "pipe" or "handler".
func (e *Endpoint) Address() string {
	switch {
	case len(e.Command) > 0:
		args, _ := hideArgs(e.Command)
		for i := range args {
			args[i] = quoteArg(args[i])
		}
		return strings.Join(args, " ")
	case e.URL != "":
		return redactURL(e.URL)
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
// such as --token=X or --api-key X, and returns them.
func hideArgs(args []string) (shown, secrets []string) {
	shown = make([]string, len(args))
	next := false
	for i, arg := range args {
		shown[i] = arg
		if next && !strings.HasPrefix(arg, "-") {
			shown[i], secrets = hidden, append(secrets, arg)
			next = false
			continue
		}
		next = false
		name, value, assigned := strings.Cut(arg, "=")
		option := strings.HasPrefix(arg, "-") || assigned && isVariable(name)
		if i == 0 || !option || !telling(name) {
			if strings.Contains(arg, "://") {
				shown[i], secrets = redactURL(arg), append(secrets, urlSecrets(arg)...)
			}
			continue
		}
		if assigned {
			shown[i], secrets = name+"="+hidden, append(secrets, value)
		} else {
			next = true
		}
	}
	return shown, secrets
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

// quoteArg quotes an argument as a shell would need it.
func quoteArg(arg string) string {
	special := func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune("_-./:=@%+,*", c)
	}
	if arg != "" && !strings.ContainsFunc(arg, special) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
