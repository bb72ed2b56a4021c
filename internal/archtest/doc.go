// Package archtest holds no code, only tests: the rules about who may import whom,
// and about the size and the words of files, against the module as it is.
package archtest
