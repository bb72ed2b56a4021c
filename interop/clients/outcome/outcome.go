// Package outcome is what the clients that are run against the mock server report:
// each goes through the same operations and writes down what it got.
package outcome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// File names the variable with the file that a client writes its outcome into.
const File = "MCPCHECK_OUTCOME"

// The parts of the world clients.yaml that clients look at.
const (
	Text     = "note:hello"
	Blob     = "note:dot"
	Clock    = "note:clock" // changes all the time
	Escaped  = "file:///a%20b/%E2%82%AC?x=1&y=%2F"
	Template = "city:{name}"
	Argument = "name"
	Prefix   = "par" // a beginning of two values
	Expanded = "city:rome"
	Missing  = "note:missing"
)

// Outcome is what a client got. What it cannot do stays empty.
type Outcome struct {
	Revision  string   `json:"revision"`
	Resources []string `json:"resources"` // URIs in the order of listing
	Templates []string `json:"templates"`
	Text      string   `json:"text"`
	Blob      string   `json:"blob"` // base64
	Escaped   string   `json:"escaped"`
	Expanded  string   `json:"expanded"`
	Completed []string `json:"completed"`
	// Updated is the URI of a notification about Clock after it was subscribed to,
	// Unsubscribed whether the subscription was ended without an error.
	Updated      string `json:"updated"`
	Unsubscribed bool   `json:"unsubscribed"`
	ListChanged  bool   `json:"listChanged"`
	Pinged       bool   `json:"pinged"`
	// NotFound is the code of the error for Missing.
	NotFound int64 `json:"notFound"`
}

// limit bounds the whole run.
const limit = 10 * time.Second

// Main is the program of a client: it talks to the server that its arguments name, or walks through several.
func Main(client string, talk func(ctx context.Context, revision, transport string, address []string) error,
	walk func(ctx context.Context, revision, url string, w *Walk) error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := errors.New("usage: " + client + " REVISION TRANSPORT ADDRESS [ARG...]")
	switch {
	case len(os.Args) < 4:
	case os.Args[2] == "walk":
		err = walks(os.Args[3:], func(url string, w *Walk) error { return walk(ctx, os.Args[1], url, w) })
	default:
		err = talk(ctx, os.Args[1], os.Args[2], os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, client+":", err)
		os.Exit(1) //nolint:gocritic // nothing waits for the context
	}
}

// Tell passes something on that somebody may wait for, unless something has been passed on already.
func Tell[T any](to chan<- T, what T) {
	select {
	case to <- what:
	default:
	}
}

// Write writes the outcome into the file that the environment names.
func (o *Outcome) Write() error { return write(o) }

func write(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv(File), data, 0o600)
}

// Walk is what a client got that listed all that a server has and read every resource.
type Walk struct {
	Resources []string `json:"resources"` // URIs in the order of listing
	Templates []string `json:"templates"`
	// Refused are the resources that could not be read, with the reason.
	Refused map[string]string `json:"refused"`
	// Error is why the walk ended before its time; empty if it did not.
	Error string `json:"error"`
}

// Read notes how the read of a listed resource ended.
func (w *Walk) Read(uri string, err error) {
	if err != nil {
		w.Refused[uri] = err.Error()
	}
}

// walks walks through the servers at some addresses, and writes the outcomes by address into
// the file that the environment names.
func walks(urls []string, walk func(url string, w *Walk) error) error {
	all := map[string]*Walk{}
	for _, url := range urls {
		w := &Walk{Resources: []string{}, Templates: []string{}, Refused: map[string]string{}}
		if err := walk(url, w); err != nil {
			w.Error = err.Error()
		}
		all[url] = w
	}
	return write(all)
}
