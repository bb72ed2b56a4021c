package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// era is a way to speak: with a handshake, or with everything in each request.
type era struct{ name, revision string }

var (
	legacy = era{"legacy", "2025-11-25"}
	modern = era{"modern", "2026-07-28"}
)

// operation is what is asked for.
type operation struct{ name, method, uri, expect string }

var operations = []operation{
	{"list", "resources/list", "", `"nextCursor"`},
	{"read 1KiB", "resources/read", shortURI(7), `"contents"`},
	{"read 1MiB", "resources/read", longURI, `"contents"`},
	{"not found", "resources/read", "file:///bench/none.txt", `"error"`},
}

// params are the request's; all of it but the id.
func (o operation) params(e era) string {
	var members []string
	if o.uri != "" {
		members = append(members, fmt.Sprintf(`"uri":%q`, o.uri))
	}
	if e == modern {
		members = append(members,
			fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/`+
				`clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`,
				e.revision))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// client is one connection, spoken to without a library: what it costs is the same
// for all servers, and little.
type client struct {
	conn    net.Conn
	r       *bufio.Reader
	host    string
	path    string
	session string
	id      int
}

func dial(server *httptest.Server) (*client, error) {
	host := strings.TrimPrefix(server.URL, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10), host: host, path: "/mcp"}, nil
}

// post sends a body and returns the answer; keep says whether its bytes are wanted.
func (c *client) post(e era, header, body string, keep bool) (*http.Response, []byte, error) {
	if c.session != "" {
		header += "Mcp-Session-Id: " + c.session + "\r\n"
	}
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: "+
		"application/json, text/event-stream\r\nMCP-Protocol-Version: %s\r\n%sContent-Length: %d\r\n\r\n%s",
		c.path, c.host, e.revision, header, len(body), body)
	if _, err := io.WriteString(c.conn, request); err != nil {
		return nil, nil, err
	}
	response, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, nil, err
	}
	var answer []byte
	if keep {
		answer, err = io.ReadAll(response.Body)
	} else {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return response, answer, errors.Join(err, response.Body.Close())
}

// shake opens a session where there are sessions.
func (c *client) shake(e era) error {
	if e == modern {
		return nil
	}
	response, answer,
		err := c.post(e, "", `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"`+
		e.revision+`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, true)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("initialize is answered by %s %s", response.Status, trimmed(answer))
	}
	c.session = response.Header.Get("Mcp-Session-Id")
	_, _, err = c.post(e, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
	return err
}

// ask sends the operation once.
func (c *client) ask(e era, op operation, params string, keep bool) (*http.Response, []byte, error) {
	c.id++
	header := ""
	if e == modern {
		header = "Mcp-Method: " + op.method + "\r\n"
		if op.uri != "" {
			header += "Mcp-Name: " + op.uri + "\r\n"
		}
	}
	return c.post(e, header, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, op.method,
		params), keep)
}

// sample is what a server answers, once.
func sample(server *httptest.Server, e era, op operation) ([]byte, http.Header, error) {
	c, err := dial(server)
	if err != nil {
		return nil, nil, err
	}
	defer c.conn.Close()
	if err := c.shake(e); err != nil {
		return nil, nil, err
	}
	response, body, err := c.ask(e, op, op.params(e), true)
	if err != nil {
		return nil, nil, err
	}
	return body, response.Header, nil
}

// load keeps all connections busy for a while.
func load(server *httptest.Server, e era, op operation) (figure, error) {
	params := op.params(e)
	clients := make([]*client, connections)
	for i := range clients {
		c, err := dial(server)
		if err != nil {
			return figure{}, err
		}
		defer c.conn.Close()
		if err := c.shake(e); err != nil {
			return figure{}, err
		}
		// What is measured has to be what was asked for.
		_, answer, err := c.ask(e, op, params, true)
		if err != nil {
			return figure{}, err
		}
		if !bytes.Contains(answer, []byte(op.expect)) {
			return figure{}, fmt.Errorf("the answer has no %s: %s", op.expect, trimmed(answer))
		}
		clients[i] = c
	}
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	runtime.GC()
	begun := time.Now()
	until := begun.Add(*duration)
	for _, c := range clients {
		wg.Go(func() {
			var own []time.Duration
			var err error
			for err == nil {
				start := time.Now()
				if start.After(until) {
					break
				}
				_, _, err = c.ask(e, op, params, false)
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all, failed = append(all, own...), errors.Join(failed, err)
		})
	}
	wg.Wait()
	took := time.Since(begun)
	if failed != nil || len(all) == 0 {
		return figure{}, errors.Join(failed, errors.New("nothing was measured"))
	}
	slices.Sort(all)
	return figure{float64(len(all)) / took.Seconds(), all[len(all)*99/100]}, nil
}
