package clientcheck

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// spellings sorts the URIs that a group was told of by what a function makes of them; of several the one
// that was told first counts.
func (g *group) spellings(key func(string) string) map[string]string {
	all := map[string]string{}
	for uri, told := range g.uris {
		k := key(uri)
		if before := g.uris[all[k]]; k != "" && (before == nil || told.Seq < before.Seq ||
			told.Seq == before.Seq && uri < all[k]) {
			all[k] = uri
		}
	}
	return all
}

// decoded is a URI without percent-encoding, however often that was applied.
func decoded(s string) string {
	for range 3 {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == s {
			break
		}
		s = plain
	}
	return s
}

// canonical is a spelling that all spellings of a URI have in common: case of scheme and
// host, percent-encoding, and dots and slashes at the end make no difference.
func canonical(uri string) string {
	s := decoded(uri)
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok {
		return s
	}
	scheme = strings.ToLower(scheme)
	if after, has := strings.CutPrefix(rest, "//"); has {
		host, path, _ := strings.Cut(after, "/")
		rest = "//" + strings.ToLower(host) + "/" + strings.ReplaceAll("/"+path, "/./", "/")[1:]
	} else if scheme == "file" && strings.HasPrefix(rest, "/") {
		rest = "//" + rest
	}
	return scheme + ":" + strings.TrimRight(rest, "/")
}

var (
	schemes  = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	defaults = map[string]string{"http:": ":80", "https:": ":443", "ws:": ":80", "wss:": ":443",
		"ftp:": ":21"}
)

// rough is what is left of a URI without anything that clients lose or add on its way: query
// and fragment, the host of this machine, the default port, case, encoding, dots. It is empty
// if that is nothing beside the scheme.
func rough(uri string) string {
	scheme, rest := parts(uri)
	if rest == "" {
		return ""
	}
	return scheme + rest
}

// bare is rough without the scheme.
func bare(uri string) string {
	_, rest := parts(uri)
	return rest
}

// bareOfPath is bare of the path of a URI that has a host; empty if it has none, or no more than
// a host.
func bareOfPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return ""
	}
	return bare(u.EscapedPath())
}

func parts(uri string) (scheme, rest string) {
	s, _, _ := strings.Cut(uri, "#")
	s, _, _ = strings.Cut(s, "?")
	s = strings.ToLower(decoded(strings.ReplaceAll(s, "+", " ")))
	scheme = schemes.FindString(s)
	s = s[len(scheme):]
	if after, ok := strings.CutPrefix(s, "//"); ok {
		host, below, _ := strings.Cut(after, "/")
		host = strings.TrimSuffix(host, defaults[scheme])
		if host == "localhost" && scheme == "file:" {
			host = ""
		}
		s = host + "/" + below
	}
	return scheme, strings.Trim(path.Clean("/"+s), "/")
}
