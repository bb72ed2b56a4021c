// Package mockbench measures the mock server beside a bare net/http handler that writes the same bytes,
// the official Go SDK and mark3labs/mcp-go, which serve the same resources. "make bench-mock" runs the
// benchmarks in rounds and has benchstat show the medians. All servers and their clients are in one
// process.
package mockbench
