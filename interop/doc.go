// Package interop holds mcpcheck against real servers that its authors did not
// write. The file rulings.yaml lists each red verdict that such a server gets,
// with the section of the specification that makes it just; a verdict without
// a ruling fails the tests, and so does a ruling whose verdict is not given any
// more. What is true of these servers may change with their versions, which
// go.mod and the file pin.
//
// It is a module of its own, so that nobody who uses mcpcheck depends on the
// SDKs that the servers are built with. Servers in Go are built by the tests.
// Those that need more than Go are only judged if the environment variable
// MCPCHECK_TARGETS names a directory in which they have been installed:
//
//	npm/NAME/node_modules/...   the npm packages of the file, one NAME each
//	gobin/PROGRAM               programs in Go that need the network to be built
//	fixtures/root/...           a directory for the file system server to serve
//
// If MCPCHECK_REPORTS names a directory, the reports are written there, so that
// whoever has to rule on a new verdict sees the frames it rests on.
package interop
