package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
)

// A cluster that judges many servers, as the page about it assumes.
const (
	clusterTargets = 5000
	clusterBound   = 10 * time.Minute // of a target: --bound
	clusterStart   = 20 * time.Second // of a pod: its image is pulled
	clusterWide    = 2                // targets at a time in a pod: --parallel
)

// dice is a number from 0 up to 1 that follows from a text.
func dice(text string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	x := h.Sum64() // whose upper bits hardly depend on the end of the text
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return float64(x>>11) / (1 << 53)
}

// judgedFor is how long a target takes, the package included: 40 s is the median, and one in a hundred hangs
// until its bound.
func judgedFor(name string) time.Duration {
	if dice("hangs "+name) < 0.01 {
		return clusterBound
	}
	normal := math.Sqrt(-2*math.Log(1-dice("a "+name))) * math.Cos(2*math.Pi*dice("b "+name))
	return min(time.Duration(40*math.Exp(0.8*normal)*float64(time.Second)), clusterBound)
}

// soonest gives work to the worker that is free first, and returns when that one is done.
func soonest(workers []time.Duration, work time.Duration) time.Duration {
	i := slices.Index(workers, slices.Min(workers))
	workers[i] += work
	return workers[i]
}

// cluster is what became of a Job.
type cluster struct {
	largest, restarted   int
	paid, wall, straggle time.Duration
	merged               *reports.Matrix
}

// simulate plays an Indexed Job: so many shards, so many pods at a time. One index in fifty loses its pod
// half-way and begins again, once. One is lost both times, and leaves no matrix.
func simulate(t *testing.T, shards, pods int) (c cluster) {
	t.Helper()
	parts := make([][]string, shards)
	for i := range clusterTargets {
		name := fmt.Sprintf("io.github.owner-%d/server-%d", i%1700, i)
		held := 0
		for at := range shards {
			if (shard{at + 1, shards}).holds(name) {
				parts[at] = append(parts[at], name)
				held++
			}
		}
		if held != 1 {
			t.Fatalf("%s is in %d shards of %d", name, held, shards)
		}
	}
	lost := shards / 3
	running := make([]time.Duration, pods)
	var list []*reports.Matrix
	for i, names := range parts {
		inside := make([]time.Duration, clusterWide)
		m := reports.NewMatrix(reports.Tool{}, shard{i + 1, shards}.String())
		for _, name := range names {
			soonest(inside, judgedFor(name))
			m.Add(reports.MatrixTarget{Name: name, Status: reports.MatrixJudged}, nil)
		}
		work := clusterStart + slices.Max(inside)
		again := dice(fmt.Sprint("evicted ", i)) < 0.02
		if again || i == lost {
			c.restarted++
			work += clusterStart + slices.Max(inside)/2
		}
		c.largest, c.straggle = max(c.largest, len(names)), max(c.straggle, work)
		c.paid += work
		c.wall = max(c.wall, soonest(running, work))
		if i != lost {
			m.Summarize()
			list = append(list, m)
		}
	}
	merged, err := reports.MergeMatrices(list, func(_ int, path string) string { return path })
	if err != nil {
		t.Fatal(err)
	}
	c.merged = merged
	want := fmt.Sprintf("%d/%d", lost+1, shards)
	if len(merged.Missing) != 1 || merged.Missing[0] != want ||
		merged.ExitCode() != reports.ExitNotEstablished ||
		len(merged.Targets) != clusterTargets-len(parts[lost]) {
		t.Errorf("%d shards: %d targets, %q are missing instead of %s", shards, len(merged.Targets),
			merged.Missing, want)
	}
	return c
}

// TestCluster: 5000 targets on the indices of a Job. Each is in one shard, a restart costs little, a lost one
// is named, and the page has the figures.
func TestCluster(t *testing.T) {
	page, err := os.ReadFile("../../docs/thousands.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range [][2]int{{50, 50}, {250, 50}, {500, 50}, {500, 100}} {
		c := simulate(t, plan[0], plan[1])
		row := fmt.Sprintf("| %d | %d | %d | %d | %.0f min | %.0f min | %.0f |", plan[0], plan[1], c.largest,
			c.restarted, c.straggle.Minutes(), c.wall.Minutes(), c.paid.Minutes())
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/thousands.md lacks the row\n%s", row)
		}
	}
}
