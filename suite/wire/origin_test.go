package wire

import (
	"net/url"
	"testing"
)

func TestSameOrigin(t *testing.T) {
	for text, want := range map[string]bool{
		"https://a.example/x": true, "https://A.example:443/": true, "http://a.example/x": false,
		"https://a.example:8443/x": false,
		"https://b.example/x":      false, "http://a.example:443/x": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := SameOrigin(u, &url.URL{Scheme: "https", Host: "a.example"}); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
