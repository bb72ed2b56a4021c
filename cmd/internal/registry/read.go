// Package registry reads the entries of MCP registries, and says how the server of an entry is started.
package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// The bounds of what is read.
const (
	maxPage  = 32 << 20 // bytes of a page or file
	maxPages = 5000
	maxAll   = 100_000          // entries
	pageTime = 30 * time.Second // for one answer
	maxTries = 4                // for one page
	maxWait  = 30 * time.Second // before the next try, whatever Retry-After says
)

// Read reads the entries of a source. That is a file with a server.json, a list of them or a page of a
// registry, or the URL of a registry, of which all pages are read; its query may narrow them. The agent is
// sent as User-Agent. An entry that is wrong says so itself; an error means that not all could be read.
func Read(ctx context.Context, source, agent string) ([]*Entry, error) {
	u, err := url.Parse(source)
	if err != nil || !strings.Contains(source, "://") {
		f, err := os.Open(source)
		if err != nil {
			return nil, yamlfile.Unread(err)
		}
		defer f.Close()
		list, _, err := parse(f)
		return entries(list, true), err
	}
	query := u.Query()
	if !strings.HasSuffix(u.Path, "/servers") {
		u = u.JoinPath("v0.1", "servers")
	}
	query.Set("version", cmp.Or(query.Get("version"), "latest"))
	var list []json.RawMessage
	seen := map[string]bool{}
	for range maxPages {
		u.RawQuery = query.Encode()
		more, next, err := get(ctx, u.String(), agent)
		list = append(list, more...)
		switch {
		case err != nil:
			return nil, err
		case seen[next]:
			return nil, errors.New("the registry gives a cursor for the second time: its pages never end")
		case next == "":
			return entries(list, private(u)), nil
		case len(list) > maxAll:
			return nil, fmt.Errorf("the registry has more than %d servers: put search= into the URL", maxAll)
		}
		seen[next] = true
		query.Set("cursor", next)
	}
	return nil, fmt.Errorf("the registry has more than %d pages", maxPages)
}

// parse takes a document apart. next is the cursor of the page behind it, empty if there is none.
func parse(r io.Reader) (list []json.RawMessage, next string, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPage)) // a longer one ends too early
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Servers  []json.RawMessage
		Metadata struct{ NextCursor string }
	}
	if data = bytes.TrimSpace(data); bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &list)
	} else if err = json.Unmarshal(data, &page); page.Servers != nil {
		list = page.Servers
	} else {
		list = []json.RawMessage{data}
	}
	if err != nil {
		err = fmt.Errorf("this is no server.json, list of them or page of a registry, of %d MiB at most: %w",
			maxPage>>20, err)
	}
	return list, page.Metadata.NextCursor, err
}

// get reads one page. If the registry is busy it tries again after the time that the registry asks for.
func get(ctx context.Context, address, agent string) (list []json.RawMessage, next string, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	q.Header.Set("User-Agent", agent)
	client := &http.Client{Timeout: pageTime}
	for try := 1; ; try++ {
		wait := time.Second / 4
		answer, err := client.Do(q)
		if err == nil {
			defer answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return parse(answer.Body)
			}
			err = fmt.Errorf("the registry answers with HTTP %d", answer.StatusCode)
			if answer.StatusCode < http.StatusInternalServerError &&
				answer.StatusCode != http.StatusTooManyRequests {
				return nil, "", err
			}
			seconds, _ := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16) // else soon
			wait = min(max(wait, time.Duration(seconds)*time.Second), maxWait)
		}
		if try == maxTries {
			return nil, "", err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, "", err
		}
	}
}
