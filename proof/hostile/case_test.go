//go:build unix

package hostile

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed cases.yaml
var casesYAML []byte

// hostileCase is one hostile server.
type hostileCase struct {
	Name string `yaml:"name"`
	// Over is the transport: stdio, http, tls or sse.
	Over string `yaml:"over"`
	// What it does, in a few words, for people.
	What string `yaml:"what"`
	// Starts is done when the process has started, or a connection was accepted.
	Starts []step `yaml:"starts"`
	// On is the method of the requests to which it reacts; empty means all, "start" none.
	On string `yaml:"on"`
	// After is how many such requests it answers as it should first.
	After int `yaml:"after"`
	// Does is sent in place of the answer.
	Does []step `yaml:"does"`
	// Offers replaces texts in the answers of the plain server, so that it offers more. Over stdio only.
	Offers map[string]string `yaml:"offers"`
	// Head replaces the status line and the headers, and Raw the whole HTTP response.
	Head string `yaml:"head"`
	Raw  bool   `yaml:"raw"`
	// Certificate is what is wrong with that of a TLS server.
	Certificate string `yaml:"certificate"`
	// Red are the requirements that it breaks and that the same server without the hostility
	// does not.
	Red []string `yaml:"red"`
}

// step is one thing that a hostile server does.
type step struct {
	// Send is sent, with marks replaced: see expand. Times is how often, -1 without end.
	Send  string `yaml:"send"`
	Times int    `yaml:"times"`
	// Every is the time between two repetitions, or after the step.
	Every time.Duration `yaml:"every"`
	// Do is one of close, exit, hang, answer, ignore-signals, spawn, respawn and stderr, which
	// sends to the standard error.
	Do string `yaml:"do"`
}

// cases reads the table.
func cases() ([]hostileCase, error) {
	var all []hostileCase
	if err := yaml.UnmarshalWithOptions(casesYAML, &all, yaml.Strict()); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, c := range all {
		switch {
		case seen[c.Name] || c.Name == "":
			return nil, fmt.Errorf("the name %q is not unique", c.Name)
		case !slices.Contains([]string{"stdio", "http", "tls", "sse"}, c.Over):
			return nil, fmt.Errorf("%s: there is no transport %q", c.Name, c.Over)
		}
		seen[c.Name] = true
	}
	return all, nil
}

// find is the case of that name; "good-" and a transport is a server without hostility.
func find(name string) (hostileCase, error) {
	if over, good := strings.CutPrefix(name, "good-"); good {
		return hostileCase{Name: name, Over: over, On: "start"}, nil
	}
	all, err := cases()
	if err != nil {
		return hostileCase{}, err
	}
	i := slices.IndexFunc(all, func(c hostileCase) bool { return c.Name == name })
	if i < 0 {
		return hostileCase{}, fmt.Errorf("there is no case %q", name)
	}
	return all[i], nil
}

// expand replaces the marks of a text: {answer} is the answer that is due, {id} the id of the
// request, {length} the length of the answer, {pad:N} N letters, {open:N} and {close:N}
// brackets, {items:N} N resources, {ff} the byte 255, and {n} the number of the repetition.
func expand(text, answer, id string, n int) string {
	return mark.ReplaceAllStringFunc(text, func(whole string) string {
		name, argument, _ := strings.Cut(strings.Trim(whole, "{}"), ":")
		count, _ := strconv.Atoi(argument) // without one it is 0
		switch name {
		case "answer":
			return answer
		case "half":
			return answer[:len(answer)/2]
		case "id":
			return id
		case "length":
			return strconv.Itoa(len(answer) + count)
		case "n":
			return strconv.Itoa(n)
		case "pad":
			return strings.Repeat("x", count)
		case "open":
			return strings.Repeat("[", count)
		case "close":
			return strings.Repeat("]", count)
		case "ff":
			return "\xff"
		case "items":
			items := make([]string, count)
			for i := range items {
				items[i] = fmt.Sprintf(`{"uri":"test://%d","name":"%[1]d"}`, i)
			}
			return strings.Join(items, ",")
		}
		return whole
	})
}

// mark is a mark in a text, with a number behind it or none.
var mark = regexp.MustCompile(`\{[a-z]+(:-?[0-9]+)?\}`)
