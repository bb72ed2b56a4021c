package interop

import (
	"context"
	"errors"
	"fmt"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpcheck/mcpcheck/interop/clients/outcome"
)

func mcpgoTalk(ctx context.Context, revision, kind string, address []string) error {
	c, err := mcpgoConnect(revision, kind, address)
	if err != nil {
		return err
	}
	updated, changed := make(chan string, 1), make(chan struct{}, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationResourceUpdated:
			uri, _ := n.Params.AdditionalFields["uri"].(string)
			outcome.Tell(updated, uri)
		case mcp.MethodNotificationResourcesListChanged:
			outcome.Tell(changed, struct{}{})
		}
	})
	if err := c.Start(ctx); err != nil { // over stdio, too, or nothing hears notifications
		return err
	}
	if err := mcpgoInitialize(ctx, c, revision); err != nil {
		return errors.Join(err, c.Close())
	}
	o := outcome.Outcome{Revision: c.ProtocolVersion()}
	err = errors.Join(mcpgoLists(ctx, c, &o), mcpgoReads(ctx, c, &o),
		mcpgoWatch(ctx, c, &o, updated, changed))
	return errors.Join(err, c.Close(), o.Write())
}

func mcpgoInitialize(ctx context.Context, c *mcpgo.Client, revision string) error {
	_, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: revision, ClientInfo: mcp.Implementation{Name: "mcpgo", Version: "1"},
	}})
	return err
}

// mcpgoWalk lists all that a server has, and reads every resource.
func mcpgoWalk(ctx context.Context, revision, url string, w *outcome.Walk) error {
	c, err := mcpgoConnect(revision, "http", []string{url})
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // what was got has been noted
	if err := c.Start(ctx); err != nil {
		return err
	}
	if err := mcpgoInitialize(ctx, c, revision); err != nil {
		return err
	}
	list, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return err
	}
	for _, r := range list.Resources {
		w.Resources = append(w.Resources, r.URI)
	}
	templates, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return err
	}
	for _, t := range templates.ResourceTemplates {
		w.Templates = append(w.Templates, t.URITemplate.Raw())
	}
	for _, uri := range w.Resources {
		_, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
		w.Read(uri, err)
	}
	return nil
}

func mcpgoConnect(revision, kind string, address []string) (*mcpgo.Client, error) {
	switch kind {
	case "stdio":
		return mcpgo.NewStdioMCPClient(address[0], nil, address[1:]...)
	case "sse":
		return mcpgo.NewSSEMCPClient(address[0])
	}
	if revision >= modern {
		return mcpgo.NewStreamableHttpClient(address[0])
	}
	//lint:ignore SA1019 revisions with a handshake have nothing else
	return mcpgo.NewStreamableHttpClient(address[0], transport.WithContinuousListening())
}

func mcpgoLists(ctx context.Context, c *mcpgo.Client, o *outcome.Outcome) error {
	list, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, r := range list.Resources {
		o.Resources = append(o.Resources, r.URI)
	}
	templates, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	for _, r := range templates.ResourceTemplates {
		o.Templates = append(o.Templates, r.URITemplate.Raw())
	}
	done, err := c.Complete(ctx, mcp.CompleteRequest{Params: mcp.CompleteParams{
		Ref:      mcp.ResourceReference{Type: "ref/resource", URI: outcome.Template},
		Argument: mcp.CompleteArgument{Name: outcome.Argument, Value: outcome.Prefix},
	}})
	if err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	o.Completed = done.Completion.Values
	if o.Revision < modern {
		//lint:ignore SA1019 revisions with a handshake have nothing else
		if err := c.Ping(ctx); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		o.Pinged = true
	}
	return nil
}

func mcpgoReads(ctx context.Context, c *mcpgo.Client, o *outcome.Outcome) error {
	for uri, into := range map[string]*string{
		outcome.Text: &o.Text, outcome.Blob: &o.Blob, outcome.Escaped: &o.Escaped,
		outcome.Expanded: &o.Expanded,
	} {
		r, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
		if err != nil {
			return fmt.Errorf("read %s: %w", uri, err)
		}
		for _, content := range r.Contents {
			switch x := content.(type) {
			case mcp.TextResourceContents:
				*into += x.Text
			case mcp.BlobResourceContents:
				*into += x.Blob
			}
		}
	}
	_, err := c.ReadResource(ctx,
		mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: outcome.Missing}})
	if err == nil {
		return errors.New("the missing resource can be read")
	}
	o.NotFound = mcpgoCode(err)
	return nil
}

// mcpgoCode is the code of an error that the library has replaced by another, or 0.
func mcpgoCode(err error) int64 {
	switch {
	case errors.Is(err, mcp.ErrResourceNotFound):
		return mcp.RESOURCE_NOT_FOUND
	case errors.Is(err, mcp.ErrInvalidParams):
		return mcp.INVALID_PARAMS
	}
	return 0
}

func mcpgoWatch(ctx context.Context, c *mcpgo.Client, o *outcome.Outcome, updated <-chan string,
	changed <-chan struct{}) error {
	//lint:ignore SA1019 revisions with a handshake have nothing else
	if err := c.Subscribe(ctx,
		mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: outcome.Clock}}); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	stop := func() {}
	if o.Revision >= modern {
		filter := c.PendingSubscriptionFilter()
		filter.ResourcesListChanged = true
		end, err := c.ListenAsync(ctx, filter, nil)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		stop = end
	}
	defer stop()
	for o.Updated == "" || !o.ListChanged {
		select {
		case o.Updated = <-updated:
		case <-changed:
			o.ListChanged = true
		case <-ctx.Done():
			return fmt.Errorf("no notifications: %w", ctx.Err())
		}
	}
	//lint:ignore SA1019 revisions with a handshake have nothing else
	if err := c.Unsubscribe(ctx,
		mcp.UnsubscribeRequest{Params: mcp.UnsubscribeParams{URI: outcome.Clock}}); err != nil {
		return fmt.Errorf("unsubscribe: %w", err)
	}
	o.Unsubscribed = true
	return nil
}
