package interop

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpcheck/mcpcheck/interop/clients/outcome"
)

func gosdkTalk(ctx context.Context, revision, kind string, address []string) error {
	updated, changed := make(chan string, 1), make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			outcome.Tell(updated, r.Params.URI)
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			outcome.Tell(changed, struct{}{})
		},
	})
	session, err := client.Connect(ctx, gosdkTransport(kind, address),
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return err
	}
	o := outcome.Outcome{Revision: session.InitializeResult().ProtocolVersion}
	err = errors.Join(gosdkLists(ctx, session, &o), gosdkReads(ctx, session, &o),
		gosdkWatch(ctx, session, &o, updated))
	select {
	case <-changed:
		o.ListChanged = true
	case <-ctx.Done():
	}
	return errors.Join(err, session.Close(), o.Write())
}

// gosdkWalk lists all that a server has, and reads every resource.
func gosdkWalk(ctx context.Context, revision, url string, w *outcome.Walk) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
	s, err := client.Connect(ctx, gosdkTransport("http", []string{url}),
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return err
	}
	for r, err := range s.Resources(ctx, nil) {
		if err != nil {
			return errors.Join(err, s.Close())
		}
		w.Resources = append(w.Resources, r.URI)
	}
	for t, err := range s.ResourceTemplates(ctx, nil) {
		if err != nil {
			return errors.Join(err, s.Close())
		}
		w.Templates = append(w.Templates, t.URITemplate)
	}
	for _, uri := range w.Resources {
		_, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		w.Read(uri, err)
	}
	return s.Close()
}

func gosdkTransport(kind string, address []string) mcp.Transport {
	switch kind {
	case "stdio":
		cmd := exec.Command(address[0], address[1:]...)
		cmd.Stderr = os.Stderr
		return &mcp.CommandTransport{Command: cmd}
	case "sse":
		return &mcp.SSEClientTransport{Endpoint: address[0]}
	default:
		return &mcp.StreamableClientTransport{Endpoint: address[0]}
	}
}

func gosdkLists(ctx context.Context, s *mcp.ClientSession, o *outcome.Outcome) error {
	for r, err := range s.Resources(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		o.Resources = append(o.Resources, r.URI)
	}
	for r, err := range s.ResourceTemplates(ctx, nil) {
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		o.Templates = append(o.Templates, r.URITemplate)
	}
	done, err := s.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: outcome.Template},
		Argument: mcp.CompleteParamsArgument{Name: outcome.Argument, Value: outcome.Prefix},
	})
	if err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	o.Completed = done.Completion.Values
	if o.Revision < "2026-07-28" {
		if err := s.Ping(ctx, nil); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		o.Pinged = true
	}
	return nil
}

func gosdkReads(ctx context.Context, s *mcp.ClientSession, o *outcome.Outcome) error {
	for uri, into := range map[string]*string{
		outcome.Text: &o.Text, outcome.Blob: &o.Blob, outcome.Escaped: &o.Escaped,
		outcome.Expanded: &o.Expanded,
	} {
		r, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return fmt.Errorf("read %s: %w", uri, err)
		}
		for _, c := range r.Contents {
			*into += c.Text + base64.StdEncoding.EncodeToString(c.Blob)
		}
	}
	_, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: outcome.Missing})
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("the missing resource: %v", err)
	}
	o.NotFound = e.Code
	return nil
}

func gosdkWatch(ctx context.Context, s *mcp.ClientSession, o *outcome.Outcome, updated <-chan string) error {
	if err := s.Subscribe(ctx, &mcp.SubscribeParams{URI: outcome.Clock}); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	select {
	case o.Updated = <-updated:
	case <-ctx.Done():
		return fmt.Errorf("no update: %w", ctx.Err())
	}
	if err := s.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: outcome.Clock}); err != nil {
		return fmt.Errorf("unsubscribe: %w", err)
	}
	o.Unsubscribed = true
	return nil
}
