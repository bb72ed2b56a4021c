// Package commandtest holds no code, only tests: the suite of package conformance as it is
// run by the command ginkgo, by a test binary, and by a program of its own. They stand
// apart because they run that suite, and are no part of it.
package commandtest
