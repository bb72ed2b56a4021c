package wire

import (
	"encoding/base64"
	"strings"
)

// How the Base64 form of a header value begins and ends.
const (
	sentinelBegin = "=?base64?"
	sentinelEnd   = "?="
)

// HeaderValue encodes a value for Mcp-Method and Mcp-Name: as it is where a
// header can carry it, else in the Base64 form (2026-07-28
// basic/transports/streamable-http#value-encoding).
func HeaderValue(v string) string {
	plain := v == strings.TrimSpace(v) && (!strings.HasPrefix(v, sentinelBegin) ||
		!strings.HasSuffix(v, sentinelEnd))
	if plain && !strings.ContainsFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' }) {
		return v
	}
	return Sentinel(v)
}

// Sentinel is the Base64 form of a header value.
func Sentinel(v string) string {
	return sentinelBegin + base64.StdEncoding.EncodeToString([]byte(v)) + sentinelEnd
}

// FromSentinel reads a header value in its Base64 form; others are empty.
func FromSentinel(v string) string {
	inner, begun := strings.CutPrefix(strings.Trim(v, " \t"), sentinelBegin)
	inner, ended := strings.CutSuffix(inner, sentinelEnd)
	data, err := base64.StdEncoding.DecodeString(inner)
	if !begun || !ended || err != nil {
		return ""
	}
	return string(data)
}
