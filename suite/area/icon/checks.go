// Package icon is the area ICON: the icons of resources, templates and the server
// (basic/index#icons).
package icon

import (
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// Checks lists the checks of icons (basic/index#icons).
var Checks = verdict.Checks{
	"ICON-01": {From: verdict.BothWalks,
		Judge: verdict.Each(iconOwners, func(i verdict.Item, v *verdict.Verdict) {
			// Icons are the same wherever they stand.
			v.Typed(i, "Implementation", "icons", "icons[]", "icons[].src", "icons[].mimeType",
				"icons[].sizes", "icons[].sizes[]", "icons[].theme")
		}).Or(recording.CodeNeedsSubject, noIcons)},
	"ICON-03": {From: verdict.BothWalks,
		Judge: verdict.Each(iconSources, func(i verdict.Item, v *verdict.Verdict) {
			p, bad := judge.First(judge.URI(i.Str))
			v.That(i, !bad, "an absolute URI", "src of %s is %v: %s", i.Name, i.Result, p.Message)
		})},
	"ICON-04": {From: verdict.BothWalks,
		Judge: verdict.Each(iconSources, func(i verdict.Item, v *verdict.Verdict) {
			p, bad := judge.First(judge.IconSource(i.Str), judge.CodeIconScheme)
			v.That(i, !bad, "an icon that clients may load: https, http or data", "src of %s is %v: %s",
				i.Name, i.Result, p.Message)
		})},
	"ICON-05": {From: verdict.BothWalks,
		Judge: verdict.Each(iconSources, func(i verdict.Item, v *verdict.Verdict) {
			if judge.HasScheme(i.Str, "data") {
				p, bad := judge.First(judge.DataIcon(i.Str))
				v.That(i, !bad, "a base64-encoded image", "src of %s is %v: %s", i.Name, i.Result, p.Message)
			}
		}).Or(recording.CodeNeedsSubject, "no icon is given as a data URI")},
	"ICON-08": {From: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			var odd verdict.Sightings
			for _, i := range iconsOf(v) {
				if t := i.Get("mimeType"); judge.IsString(t) {
					if p, bad := judge.First(judge.MIME(t.Str)); bad {
						odd.Add(i, "%v of %s (%s)", t, i.Name, p.Message)
					}
				}
				sizes := i.Get("sizes")
				if !sizes.IsArray() {
					continue
				}
				for _, size := range sizes.Array() {
					if judge.IsString(size) {
						v.That(i, len(judge.IconSize(size.Str)) == 0, `a size such as 48x48, or "any"`,
							"%v among the sizes of %s", size, i.Name)
					}
				}
			}
			odd.Observe(v, "icon-type", "%d {icon has|icons have} a mimeType that is none: %s")
			v.NeedsSubject("no icon has sizes")
		}},
}

// iconOwners lists what has icons: the entries of a walk and, once, the server.
func iconOwners(v *verdict.Verdict) []verdict.Item {
	all := verdict.ListedItems(v)
	if v.Scenario == recording.WalkResources {
		all = append(all, introductions(v)...)
	}
	return recording.Keep(all, func(i verdict.Item) bool { return i.IsObject() && i.Get("icons").Exists() })
}

// introductions lists how the target introduces itself: in the handshake, or in
// discovery and in results.
func introductions(v *verdict.Verdict) []verdict.Item {
	const name = "the server's description of itself"
	declared := gjson.ParseBytes(v.Facts.Declared)
	if !v.Modern() {
		var frames []int
		for _, s := range v.Sessions {
			if s.Initialize != nil {
				frames = s.Initialize.Evidence()
			}
		}
		return []verdict.Item{verdict.NewItem(declared.Get("serverInfo"), name, frames)}
	}
	found := []verdict.Item{verdict.NewItem(judge.Member(declared.Get("_meta"), verdict.MetaServerInfo), name,
		nil)}
	if !found[0].IsObject() {
		found = nil
	}
	// The same description comes with every result: one is as good as all.
	for _, x := range v.Steps(recording.StepPage) {
		if info := judge.Member(x.Value("_meta"), verdict.MetaServerInfo); info.IsObject() {
			return []verdict.Item{verdict.NewItem(info, name, x.Evidence())}
		}
	}
	return found
}

func iconsOf(v *verdict.Verdict) []verdict.Item {
	var all []verdict.Item
	for _, i := range iconOwners(v) {
		icons := i.Get("icons")
		if !icons.IsArray() {
			continue
		}
		for n, icon := range icons.Array() {
			if icon.IsObject() {
				all = append(all, verdict.NewItem(icon, fmt.Sprintf("icon %d of %s", n+1, i.Name), i.Frames))
			}
		}
	}
	if len(all) == 0 {
		v.NeedsSubject("%s", noIcons)
	}
	return all
}

func iconSources(v *verdict.Verdict) []verdict.Item {
	var all []verdict.Item
	for _, i := range iconsOf(v) {
		if src := i.Get("src"); judge.IsString(src) {
			all = append(all, verdict.NewItem(src, i.Name, i.Frames))
		}
	}
	return all
}

const noIcons = "neither a resource, nor a template, nor the server has icons"
