package plural

import "testing"

func TestOf(t *testing.T) {
	const text = "%d {text shows|texts show} {a|} {?…} expression{|s}"
	for n, want := range map[int]string{0: "%d texts show  {?…} expressions",
		1: "%d text shows a {?…} expression", 2: "%d texts show  {?…} expressions"} {
		if got := Of(n, text); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
