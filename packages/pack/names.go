package main

import "strings"

// The names under which everything is published. A test holds all files against them that name
// what is published. The programs are called mcpcheck and mockserver wherever they are installed.
const (
	npmName  = "mcpcheck"
	npmScope = "@mcpcheck/"
	// PyPI has mcp-check, and refuses what can be taken for it.
	pythonName = "mcpcheck-conformance"
	systemName = "mcpcheck" // of the deb, the rpm and the cask
	tapName    = "mcpcheck/tap"
	imageScope = "ghcr.io/mcpcheck/" // an image for each program
)

// wheelName is the name in the files and directories of a wheel (PEP 427).
var wheelName = strings.ReplaceAll(pythonName, "-", "_")
