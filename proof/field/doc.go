// Package field holds no code, only tests: bugs.yaml lists bugs that released
// servers and clients had, and the tests hold it against the project: the suite
// finds each of the first kind that can be seen from outside, and the reference
// server confronts clients with what the others stumbled over.
package field
