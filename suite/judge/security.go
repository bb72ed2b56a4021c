package judge

import (
	"regexp"
	"strings"
)

var passwd = regexp.MustCompile(`(?m)^[a-z_][a-z0-9_-]*:[^:\n]*:[0-9]+:[0-9]+:[^:\n]*:[^:\n]*:[^:\n]*\r?$`)

// LooksLikePasswd reports whether a text holds at least two lines in the format
// of a Unix user database, among them that of the superuser: what a traversal of
// paths brings to light on most systems.
func LooksLikePasswd(text string) bool {
	return strings.Contains(text, "root:") && len(passwd.FindAllStringIndex(text, 2)) == 2
}

var (
	winIni = regexp.MustCompile(`(?m)^; for 16-bit app support\r?$|^\[(?:fonts|extensions|mci extensions|files|Mail)\]\r?$`)
	kernel = regexp.MustCompile(`^Linux version [0-9]+\.[0-9]+\S* \(`)
)

// SystemFile names the file of an operating system that a text looks like: one that
// traversal is tried on, because most machines have it. It is empty for other texts.
func SystemFile(text string) string {
	switch {
	case LooksLikePasswd(text):
		return "the user database of a Unix system"
	case len(text) < 1<<16 && strings.Count(text, "\n") >= 2 && strings.ContainsAny(text, "[;") && len(winIni.FindAllStringIndex(text, 3)) == 3:
		return "the file win.ini of a Windows system"
	case strings.HasPrefix(text, "Linux version") && kernel.MatchString(text):
		return "the version of a Linux kernel"
	}
	return ""
}
