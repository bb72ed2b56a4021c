package target

import "testing"

// TestAddressPort: a port that cannot be is a mistake in the arguments, and no target that is out of reach.
func TestAddressPort(t *testing.T) {
	for port, want := range map[string]string{"65535": "",
		"65536":  "--url has the port 65536: the last one is 65535",
		"100000": "--url has the port 100000: the last one is 65535"} {
		_, err := (&Flags{URL: "http://127.0.0.1:" + port + "/mcp"}).Address()
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%s: %v, not %q", port, err, want)
		}
	}
}
