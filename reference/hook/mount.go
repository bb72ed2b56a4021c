package hook

import "context"

type mountKey struct{}

// WithMount says that the endpoints of a server are called beneath the name of a namespace:
// /mcp/NAME where the request that it sees says /mcp.
func WithMount(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, mountKey{}, "/"+name)
}

// MountOf is what the path of an endpoint ends with for those who call it: "/NAME" in a namespace, or else
// nothing.
func MountOf(ctx context.Context) string {
	mount, _ := ctx.Value(mountKey{}).(string)
	return mount
}
