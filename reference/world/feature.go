package world

import (
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// Tool is a tool with the one result that every call of it has.
type Tool struct {
	Name        string         `yaml:"name"`
	Title       string         `yaml:"title"`
	Description string         `yaml:"description"`
	Icons       []Icon         `yaml:"icons"`
	Meta        map[string]any `yaml:"_meta"`
	// InputSchema is the JSON Schema of the arguments, which are not held against it; nil means any object.
	InputSchema map[string]any `yaml:"inputSchema"`
	// Content are the blocks of the result.
	Content []Block `yaml:"content"`
	// IsError says that the result is that of a tool which has failed.
	IsError bool `yaml:"isError"`
}

// Prompt is a prompt with the messages that it stands for.
type Prompt struct {
	Name        string     `yaml:"name"`
	Title       string     `yaml:"title"`
	Description string     `yaml:"description"`
	Icons       []Icon     `yaml:"icons"`
	Arguments   []Argument `yaml:"arguments"`
	// Messages in their order. In their texts {name} stands for the argument of that name.
	Messages []PromptMessage `yaml:"messages"`
	Meta     map[string]any  `yaml:"_meta"`
}

// Argument is an argument of a prompt.
type Argument struct {
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	Required    bool   `yaml:"required"`
}

// PromptMessage is a message of a prompt.
type PromptMessage struct {
	// Role is "user", which an empty one means, or "assistant".
	Role  string `yaml:"role"`
	Block `yaml:",inline"`
}

// Block is a part of what a tool or a prompt yields: a text, a link to a resource, or a resource that is
// embedded with its contents, both by URI.
type Block struct {
	Text *string `yaml:"text"`
	// Link is sent as the URI alone in revisions that have no links (before 2025-06-18).
	Link  string `yaml:"link"`
	Embed string `yaml:"embed"`
	// Annotations are those of the block.
	Annotations *Annotations `yaml:"annotations"`
}

// Roles are those of messages.
func Roles() []string { return []string{"user", "assistant"} }

// featureProblems are those of the tools and prompts.
func (w World) featureProblems() (found problems) {
	taken := map[string]bool{}
	named := func(at, kind, name string) {
		if name == "" {
			found.Say(at+".name", "is missing")
		} else if taken[kind+name] {
			found.Say(at+".name", "is %q, as that of a %s before it", clip(name), kind)
		}
		taken[kind+name] = true
	}
	for at, t := range yamlfile.Items("tools", w.Tools) {
		named(at, "tool", t.Name)
	}
	for at, p := range yamlfile.Items("prompts", w.Prompts) {
		named(at, "prompt", p.Name)
	}
	return found
}

func (m PromptMessage) problems() (found problems) {
	found.OneOf("role", m.Role, Roles())
	return found
}

func (b Block) problems() (found problems) {
	if operation.Given(b.Text != nil, b.Link != "", b.Embed != "") != 1 {
		found.Say("", "needs one of text, link and embed")
	}
	return found
}

// unlinked finds the blocks of tools and prompts that link to no resource; present are the URIs of those at
// the start, to which the timeline may add others.
func (w World) unlinked(present map[string]bool) problems {
	templates, put := map[string]bool{}, map[string]bool{}
	for _, s := range w.Timeline {
		if s.Put != nil {
			put[s.Put.URI] = true
		}
		if s.PutTemplate != nil {
			templates[s.PutTemplate.URITemplate] = true
		}
	}
	for _, t := range w.Templates {
		templates[t.URITemplate] = true
	}
	return collect(w, func(part any) (found problems) {
		b, _ := part.(Block)
		for _, to := range [][2]string{{"link", b.Link}, {"embed", b.Embed}} {
			if uri := to[1]; uri != "" && !present[uri] && !put[uri] && !matched(templates, uri) {
				found.Say(to[0], "there is no such resource: %s", clip(uri))
			}
		}
		return found
	})
}

func (t Tool) warnings() (found problems) {
	if t.InputSchema != nil && t.InputSchema["type"] != "object" {
		found.Say("inputSchema.type", "is not object, as clients expect")
	}
	return found
}

func (p Prompt) warnings() (found problems) {
	var names []string
	for at, a := range yamlfile.Items("arguments", p.Arguments) {
		names = append(names, a.Name)
		if a.Name == "" {
			found.Say(at+".name", "is missing")
		}
	}
	for at, m := range yamlfile.Items("messages", p.Messages) {
		if m.Text != nil {
			found = append(found, strangers(at+".text", *m.Text, names, "argument")...)
		}
	}
	return found
}
