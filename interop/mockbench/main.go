// Command mockbench measures the mock server beside a bare net/http handler that
// writes the same bytes, the official Go SDK and mark3labs/mcp-go, which serve the
// same resources: requests per second and the 99th percentile of the latency, over
// loopback, with 16 connections. All servers and their clients are in this process. They
// are measured in turn, round after round, there and back, so that what else the machine
// does falls on all of them alike; the median round is shown. Each begins with the
// garbage of the one before it collected. The mock is measured three times: as it is, and with
// faults and with quirks armed for something else.
// It also measures one update to many subscribed streams, the memory of idle
// sessions, and the time from start to the first answer.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

var (
	rounds   = flag.Int("rounds", 15, "how often everything is measured")
	duration = flag.Duration("duration", 200*time.Millisecond, "how long each measurement takes")
	streams  = flag.Int("streams", 1000, "how many streams are subscribed, and sessions are idle")
	only     = flag.String("only", "",
		"what the names of the cells that are measured begin with, as in \"legacy list\"")
	binary = flag.String("mockserver", "", "the mockserver program; without it the start is not measured")
)

// connections is how many clients send requests at the same time.
const connections = 16

func main() {
	flag.Parse()
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	for _, era := range []era{legacy, modern} {
		for _, op := range operations {
			if !strings.HasPrefix(era.name+" "+op.name, *only) {
				continue
			}
			if err := compare(ctx, era, op); err != nil {
				return fmt.Errorf("%s %s: %w", era.name, op.name, err)
			}
		}
	}
	if *only != "" {
		return nil
	}
	if err := fanOut(ctx, *streams); err != nil {
		return err
	}
	if err := idle(ctx, *streams); err != nil {
		return err
	}
	if *binary == "" {
		return nil
	}
	return firstAnswer(ctx, *binary)
}

// figure is one measurement.
type figure struct {
	rate float64       // requests per second
	p99  time.Duration // of the latency
}

// compare measures one operation on all servers.
func compare(ctx context.Context, e era, op operation) error {
	contenders, err := open(ctx, e, op)
	if err != nil {
		return err
	}
	figures := make([][]figure, len(contenders))
	order := make([]int, len(contenders))
	for i := range order {
		order[i] = i
	}
	for range *rounds {
		for _, i := range order {
			f, err := load(contenders[i].server, e, op)
			if err != nil {
				return fmt.Errorf("%s: %w", contenders[i].name, err)
			}
			figures[i] = append(figures[i], f)
		}
		slices.Reverse(order)
	}
	for i, c := range contenders {
		slices.SortFunc(figures[i], func(a, b figure) int { return cmp.Compare(a.rate, b.rate) })
		c.server.Close()
	}
	bare := slices.IndexFunc(contenders, func(c contender) bool { return c.name == bareName })
	for i, c := range contenders {
		f := figures[i][len(figures[i])/2]
		fmt.Printf("%-7s %-10s %-10s %8.0f req/s   p99 %7.2f ms   of bare %.2f\n",
			e.name, op.name, c.name, f.rate, float64(f.p99.Microseconds())/1000,
			f.rate/figures[bare][len(figures[bare])/2].rate)
	}
	return nil
}

// bareName is what the bare handler is called.
const bareName = "net/http"

// contender is a server under load.
type contender struct {
	name   string
	server *httptest.Server
}

// open starts all servers; the mock is the first, and the bare handler answers with
// what the mock was seen to answer.
func open(ctx context.Context, e era, op operation) ([]contender, error) {
	var all []contender
	armed := op.elsewhere()
	for _, m := range []struct {
		name           string
		faults, quirks []string
	}{{"mock", nil, nil}, {"mock+fault", armed.faults, nil}, {"mock+quirk", nil, armed.quirks}} {
		mock, err := mockServer(m.faults, m.quirks)
		if err != nil {
			return nil, err
		}
		all = append(all, contender{m.name, mock})
	}
	body, header, err := sample(all[0].server, e, op)
	if err != nil {
		return nil, err
	}
	for _, m := range all[1:] {
		if other, _, err := sample(m.server, e, op); err != nil || !bytes.Equal(other, body) {
			return nil, errors.Join(err, fmt.Errorf("%s answers otherwise: %s", m.name, trimmed(other)))
		}
	}
	return append(all, contender{bareName, bareServer(body, header)}, contender{"go-sdk", sdkServer(e)},
		contender{"mcp-go", mcpgoServer()}), nil
}
