package transport

import (
	"strings"
	"testing"
)

// TestLastWords: what is quoted of standard error is the line that tells why a program ended.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "",
		"\n \n":                                  "",
		"starting\nready\n":                      "ready",
		"/opt/python: can't open file '/x.py'\n": "/opt/python: can't open file '/x.py'",
		"[error] boom\n*****\n":                  "[error] boom",
		"{\"level\":\"fatal\"}\n":                "{\"level\":\"fatal\"}",
		"ready\n--------\n":                      "ready",
		"╭────╮\n│ My server 2.0 " +
			"│\n╰────╯": "My server 2.0",
		"Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: " +
			"no port\n": "ValueError: no port",
		"╭─ Traceback ─╮\n│ a.py:1 │\n╰─────╯\nRuntimeError: " +
			"boom\n──────\n": "RuntimeError: boom",
		"x.js:1\nError: Cannot find module 'y'\n    at Module._load (node:internal:1)\n  code: " +
			"'MODULE_NOT_FOUND'\n}\n\nNode.js v20.1.0\n": "Error: Cannot find module 'y'",
		"panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:5 +0x1d\nexit " +
			"status 2\n": "panic: boom",
		"thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: run with " +
			"`RUST_BACKTRACE=1`\n": "thread 'main' panicked at src/main.rs:2:5: boom",
		"Unhandled exception. System.IO.IOException: in use\n   at " +
			"Program.Main()\n": "Unhandled exception. System.IO.IOException: in use",
		"Exception in thread \"main\" java.lang.Error: x\n\tat " +
			"A.b(A.java:1)\n": "Exception in thread \"main\" java.lang.Error: x",
	} {
		if got, _ := LastWords(text); got != want {
			t.Errorf("%q instead of %q of\n%s", got, want, strings.TrimSpace(text))
		}
	}
}
