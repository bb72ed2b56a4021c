// Package lch is the area LCH: announcements that the resource list has changed
// (server/resources#list-changed-notification).
package lch

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// Checks lists the checks of server/resources#list-changed-notification.
var Checks = verdict.Checks{
	"LCH-01": {From: recording.Names{recording.Changes}, Needs: verdict.ListChanged,
		Judge: listAnnounced},
	"LCH-02": {From: recording.Names{recording.Changes, recording.Listening,
		recording.Everything}, Judge: wellFormedListChange},
	"LCH-04": {
		// The changes are there to be played; all clean sessions are judged.
		From:     recording.Names{recording.Changes, recording.Everything},
		With:     recording.Names{recording.Listening},
		Declared: true,
		Needs:    verdict.Withholds("resources.listChanged"),
		Judge:    undeclaredListChange,
	},
	"LCH-06": {From: recording.Names{recording.Listening}, Needs: verdict.ListChanged,
		Declared: true,
		Judge:    listChangedHonoured},
	"LCH-07": {From: recording.Names{recording.Changes}, Needs: verdict.ListChanged,
		Judge: listShowsChange},
}

// listChange is one change of the list, as it was made and as it showed.
type listChange struct {
	step      recording.Step     // "added" or "removed"
	mark      recording.MarkName // the mark of its trigger
	uri       string             // what came or went; empty if it is not known
	before    []string
	after     []string // at the last look
	announced []recording.Message
	frames    verdict.Several // the last look, and the one before the change
	looked    bool            // both looks succeeded
}

func (c *listChange) shows() bool {
	if c.uri != "" {
		return slices.Contains(c.after, c.uri) == (c.step == scenario.StepAdded)
	}
	return !slices.Equal(c.before, c.after)
}

func (c *listChange) changed() bool { return c.looked && !slices.Equal(c.before, c.after) }

// listChanges lists the changes of the list that were made.
func listChanges(v *verdict.Verdict) []listChange {
	var all []listChange
	looked := v.Steps(scenario.StepListed)
	before, ok := listedAt(looked)
	for _, change := range []struct {
		mark recording.MarkName
		step recording.Step
	}{{scenario.MarkAdd, scenario.StepAdded}, {scenario.MarkRemove, scenario.StepRemoved}} {
		mark, fired := v.Mark(change.mark)
		pages := v.Steps(change.step)
		if !fired || len(pages) == 0 {
			continue
		}
		last := pages[len(pages)-1]
		pages = slices.DeleteFunc(pages, func(x *recording.Exchange) bool {
			return x.Tags[scenario.TagLook] != last.Tags[scenario.TagLook]
		})
		c := listChange{step: change.step, mark: change.mark, uri: last.Tags[recording.TagURI],
			before: before, announced: verdict.Only(v.Hear(v.Watcher(), mark.After),
				verdict.ListUpdated)}
		c.frames = verdict.All(slices.Concat(looked[max(len(looked)-1, 0):], pages[len(pages)-1:])...)
		okBefore := ok
		c.after, ok = listedAt(pages)
		c.looked = ok && okBefore
		before, looked = c.after, pages
		all = append(all, c)
	}
	return all
}

// listedAt is the sorted list of the URIs on some pages; ok is false unless all
// of them were answered.
func listedAt(pages []*recording.Exchange) (uris []string, ok bool) {
	for _, x := range pages {
		if !x.Succeeded() {
			return nil, false
		}
		judge.Each(x.Value("resources"),
			func(item gjson.Result) { uris = append(uris, item.Get("uri").String()) })
	}
	slices.Sort(uris)
	return slices.Compact(uris), len(pages) > 0
}

// listAnnounced: a change of the list is announced.
func listAnnounced(v *verdict.Verdict) {
	for _, x := range v.StreamsNamed("list") {
		if ack, ok := v.Ack(x); !ok {
			v.Unacknowledged(x)
			return
		} else if !verdict.Grants(ack, "resourcesListChanged") {
			v.NotExercised("the target does not acknowledge resourcesListChanged")
			return
		}
	}
	for i, c := range listChanges(v) {
		switch {
		case len(c.announced) > 0:
			v.Holds()
			if i == 0 {
				announcedToAll(c, v)
			}
		case !c.looked || !c.changed():
			v.NotExercised("the trigger changed nothing that the list shows")
		case slices.ContainsFunc(v.StreamsNamed("list"), func(x *recording.Exchange) bool {
			return x.Tags[scenario.TagEnded] != ""
		}):
			v.NotExercised("the target ended the subscription to changes of the list")
		case !v.LostSession(v.Watcher()):
			actual := "none came, although the list has changed"
			if why, none := v.NoChannel(v.Watcher()); none {
				actual = "none came: " + why
			}
			v.Fail(c.frames, verdict.ListUpdated+" after a resource was "+string(c.step), "%s%s", actual,
				v.WithTrigger(c.mark)).
				Hint("send " + verdict.ListUpdated +
					" when the list changes, or do not declare resources.listChanged")
		}
	}
}

// announcedToAll: where one session hears of the first change, so does another one for which the list has
// changed as well. What comes later tells of it, too.
func announcedToAll(c listChange, v *verdict.Verdict) {
	session := v.Role("bystander")
	before, _ := listedAt(v.Steps(scenario.StepBesideListed))
	pages := v.Steps(scenario.StepBesideChanged)
	after, looked := listedAt(pages)
	mark, _ := v.Mark(c.mark)
	told := verdict.Only(v.Hear(session, mark.After), verdict.ListUpdated)
	if _, none := v.NoChannel(session); !looked || before == nil || none || len(told) > 0 ||
		slices.Equal(before, after) || !slices.Equal(after, c.after) || v.LostSession(session) {
		return // another list than the first session has may have changed for another reason
	}
	v.Fail(verdict.Several{c.announced[0], pages[len(pages)-1]},
		verdict.ListUpdated+" in every session whose list has changed", "none came in a second session, "+
			"in which the list shows that a resource was %s%s, while the first one was told", c.step,
		v.WithTrigger(c.mark)).Warn("a notification may be late").Cause("one of several sessions").
		Hint("send " + verdict.ListUpdated + " to every session, not only to one of them")
}

// wellFormedListChange: the notification is spelled as the specification has it.
func wellFormedListChange(v *verdict.Verdict) {
	for _, h := range v.Elsewhere(v.Hear("", 0)) {
		switch {
		case h.Method() == verdict.ListUpdated:
			params := h.Get("params")
			v.That(h, !params.Exists() || params.IsObject(),
				"params of "+verdict.ListUpdated+" as an object, or absent", "params are %s",
				judge.TypeName(params))
		case h.Misspells(verdict.ListUpdated):
			v.Fail(h, "the method "+verdict.ListUpdated, "the method %s", h.Method()).Warn().
				Hint("clients know the notification by its exact name only")
		}
	}
}

// undeclaredListChange: without listChanged the list changes silently.
func undeclaredListChange(v *verdict.Verdict) {
	if v.Scenario != recording.Everything {
		if _, ok := v.Mark(scenario.MarkAdd); ok {
			v.Holds() // the list was made to change: silence means something
		}
		return
	}
	if strays := verdict.Only(v.Hear("", 0), verdict.ListUpdated); len(strays) > 0 {
		v.Fail(strays[0], "no "+verdict.ListUpdated+" without capabilities.resources.listChanged",
			"%s was sent", verdict.ListUpdated)
	}
}

// listShowsChange: the list that is asked for after the announcement shows what
// was announced.
func listShowsChange(v *verdict.Verdict) {
	for _, c := range listChanges(v) {
		switch {
		case len(c.announced) == 0:
			v.NotExercised("the change of the list was not announced")
		case c.uri == "" && len(c.announced) > 1 && !c.shows():
			v.NotExercised("the list changes by itself: changes were announced more than once, and it may " +
				"be as it was before")
		case !c.looked && expelled(v):
			v.NotExercised("the target ended the session while its list was watched")
		case !c.looked:
			v.Block(c.frames, recording.CodeBadReply, "the list could not be read before and after the "+
				"change")
		default:
			v.That(verdict.Several{c.announced[0], c.frames}, c.shows(),
				"the list to show what "+verdict.ListUpdated+" announced",
				"the list is the same as before a resource was %s", c.step).
				Hint("do not answer resources/list from a cache that outlives the change")
		}
	}
}

// expelled reports whether the list could not be read because the session was over, as one over Streamable
// HTTP may be at any time.
func expelled(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Steps(scenario.StepListed, scenario.StepAdded, scenario.StepRemoved),
		func(x *recording.Exchange) bool {
			return x.Status == http.StatusNotFound
		})
}

// listChangedHonoured: changes of the list can be listened to.
func listChangedHonoured(v *verdict.Verdict) {
	const expected = "resourcesListChanged: true in the acknowledgment, as " +
		"capabilities.resources.listChanged says"
	for _, x := range v.Steps(recording.StepListen) {
		if !verdict.Granted(x.Param("notifications.resourcesListChanged")) {
			continue
		}
		ack, ok := v.Ack(x)
		switch {
		case ok && v.IllFormed(ack):
		case ok:
			value := ack.Get("params.notifications.resourcesListChanged")
			v.That(v.ListenEvidence(x), value.Type == gjson.True, expected, "resourcesListChanged is %v",
				value)
		case x.Tags[recording.TagName] == "list" && x.Failed() && !verdict.Unknown(x):
			v.Fail(x, expected, "%v", x)
		default:
			v.Unacknowledged(x)
		}
	}
}
