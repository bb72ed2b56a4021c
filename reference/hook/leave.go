package hook

import "context"

type leaveKey struct{}

// WithLeave has what acts on a message within the context ask for leave when it is about to do something; nil ends that.
func WithLeave(ctx context.Context, leave func() bool) context.Context {
	if leave == nil && !counted(ctx) {
		return ctx
	}
	return context.WithValue(ctx, leaveKey{}, leave)
}

// May reports whether something may be done to a message. Who asks counts on it: the question is put as late as that
// there is something to do, since it uses up how often something is to be done, see [Hooks.Late].
func May(ctx context.Context) bool {
	leave, _ := ctx.Value(leaveKey{}).(func() bool)
	return leave == nil || leave()
}

// counted reports whether leave has to be asked for.
func counted(ctx context.Context) bool {
	leave, _ := ctx.Value(leaveKey{}).(func() bool)
	return leave != nil
}

// Every is the match of hooks that act on all that they are given.
func Every[T any](T) bool { return true }
