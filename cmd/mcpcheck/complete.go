package main

import (
	"github.com/mcpcheck/mcpcheck/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// completed is what shells complete of flags, and of the arguments of commands.
func completed() (flags, arguments map[string]helpcmd.Words) {
	flags = map[string]helpcmd.Words{
		"only": rowWords, "skip": rowWords,
		"revision":  func() []string { return texts(requirement.Revisions()) },
		"transport": func() []string { return texts(requirement.Transports()) },
		"label-filter": func() []string {
			var all []string
			for _, key := range suite.LabelKeys() {
				all = append(all, key+":")
			}
			return all
		},
	}
	return flags, map[string]helpcmd.Words{"explain": rowWords, "list": rowWords}
}

// rowWords are the areas and the ids of requirements, with their titles.
func rowWords() []string {
	var all []string
	for _, a := range area.Catalogue().Areas() {
		all = append(all, a.Name+"\t"+a.Title)
	}
	for _, r := range area.Catalogue().Requirements() {
		all = append(all, r.ID+"\t"+r.Title)
	}
	return all
}

func texts[T ~string](all []T) []string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return words
}
