// Package clients writes the clients of the admin interface in TypeScript, Python and Go from its OpenAPI
// document, and holds the files in Git against it. "make clients" has its test write them.
package clients
