package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
)

// fanOut measures how long one update takes to reach all of many subscribed streams.
func fanOut(ctx context.Context, n int) error {
	text := "x"
	s, err := reference.New(reference.World{Resources: []reference.Resource{{URI: shortURI(0), Name: "a",
		Text: &text}}}, reference.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",`+
		`"params":{"notifications":{"resourceSubscriptions":[%q]},"_meta":{"io.modelcontextprotocol/`+
		`protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench",`+
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, shortURI(0))
	var ready, heard sync.WaitGroup
	ready.Add(n)
	heard.Add(n)
	var mu sync.Mutex
	var failed error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	for range n {
		go func() {
			readied := false
			defer func() {
				if !readied {
					ready.Done()
				}
				heard.Done()
			}()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/mcp",
				strings.NewReader(body))
			if err != nil {
				note(err)
				return
			}
			for name, value := range map[string]string{"Content-Type": "application/json",
				"Accept":               "application/json, text/event-stream",
				"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
				request.Header.Set(name, value)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				note(err)
				return
			}
			defer response.Body.Close()
			lines := bufio.NewScanner(response.Body)
			for lines.Scan() {
				switch line := lines.Text(); {
				case !readied && strings.Contains(line, "acknowledged"):
					readied = true
					ready.Done()
				case strings.Contains(line, "notifications/resources/updated"):
					return
				}
			}
			note(fmt.Errorf("a stream ended: %s: %w", response.Status,
				cmp.Or(lines.Err(), io.ErrUnexpectedEOF)))
		}()
	}
	ready.Wait()
	begun := time.Now()
	if !s.Touch(shortURI(0)) {
		return errors.New("there is nothing to touch")
	}
	heard.Wait()
	took := time.Since(begun)
	cancel()
	server.CloseClientConnections()
	server.Close()
	if failed != nil {
		return failed
	}
	fmt.Printf("one update to %d streams: %.1f ms\n", n, float64(took.Microseconds())/1000)
	return nil
}

// idle measures what a session costs that was opened and does nothing.
func idle(_ context.Context, n int) error {
	mock, err := mockServer(nil, nil)
	if err != nil {
		return err
	}
	defer mock.Close()
	c, err := dial(mock)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	if err := c.shake(legacy); err != nil {
		return err
	}
	before := heap()
	for range n {
		c.session = ""
		if err := c.shake(legacy); err != nil {
			return err
		}
	}
	fmt.Printf("memory per idle session: %.1f KiB, its journal included\n",
		float64(heap()-before)/float64(n)/1024)
	return nil
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// firstAnswer measures the time from the start of the program to its first answer.
func firstAnswer(ctx context.Context, program string) error {
	var all []time.Duration
	for range 10 {
		cmd := exec.CommandContext(ctx, program, "--stdio")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		begun := time.Now()
		if err := cmd.Start(); err != nil {
			return err
		}
		if _, err := io.WriteString(in,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
				`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`+"\n"); err != nil {
			return err
		}
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err != nil || !json.Valid(line) {
			return fmt.Errorf("the first answer is %q: %w", line, err)
		}
		all = append(all, time.Since(begun))
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			return err
		}
	}
	slices.Sort(all)
	fmt.Printf("start to first answer: %.0f ms (median of %d)\n",
		float64(all[len(all)/2].Microseconds())/1000, len(all))
	return nil
}
