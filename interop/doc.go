// Package interop holds mcpcheck against real servers that its authors did not
// write. The directory rulings has a file for each, which lists all red and
// blocked verdicts that it gets, each with the section of the specification that
// makes it just; a verdict without a ruling fails the tests, and so does a ruling
// whose verdict is not given any more. What is true of these servers may change
// with their versions, which go.mod and the files pin.
//
// A verdict is written down only after the section of the specification had been
// opened and had put the server in the wrong; a check that blames a server
// without such a section is mended instead. Warnings are warnings because the
// specification says SHOULD, because the rule stands in a document that it builds
// upon, or because it can be read in two ways. In the files, values with & are
// used again as *name.
//
// It is a module of its own, so that nobody who uses mcpcheck depends on the
// SDKs that the servers are built with. Servers in Go are built by the tests.
// Those that need more than Go are only judged if the environment variable
// MCPCHECK_TARGETS names a directory in which they have been installed:
//
//	npm/NAME/node_modules/...   an npm package of one of the files each
//	gobin/PROGRAM               programs in Go that need the network to be built
//	py/NAME/bin/python          a virtual environment with the release of a package
//	java/lib/*.jar              the SDK for Java, tomcat-embed-core, and what they need
//	gobin/trpc-server           go build -C testdata/trpc -o DIRECTORY/gobin/trpc-server
//	kotlin/lib/*.jar            the server SDK for Kotlin on the JVM, ktor-server-cio-jvm, what they need
//	kotlin/out/OrdinaryKt.class testdata/Ordinary.kt, compiled with these
//	rust/bin/rmcp-server        cargo install --debug --path testdata/rmcp --root DIRECTORY/rust
//	rust/bin/tower-server       the same of testdata/tower-mcp
//	rust/bin/pmcp-server        the same of testdata/pmcp
//	fixtures/root/...           a directory for the file system servers to serve
//
// The other way round, real clients are run against the mock server: two in Go, which
// the tests build (the directory clients), and those for Node.js (the directory node),
// which npm installs once into the cache directory of the user, with a Node.js of their
// own. They go through the same operations in every revision and transport that they
// speak, under "mockserver verify"; its red verdicts need rulings as well. Where there is
// Chromium a page in it is a client.
// All clients go through all ready worlds. Without npm, with -short and with
// MCPCHECK_NODE=0 these are left out; MCPCHECK_NODE=1 makes it a failure that npm cannot
// install.
//
// The official conformance suite is run against the mock server, and against servers and
// faults of testdata/official.yaml. What it says of them stands in testdata/official.json,
// and TestOfficialPage compares that with what mcpcheck says. A sample of them is judged,
// and all with MCPCHECK_OFFICIAL=all; then -update writes the file anew.
//
// If MCPCHECK_REPORTS names a directory, the reports are written there, so that
// whoever has to rule on a new verdict sees the frames it rests on.
package interop
