//go:build !unix

package reference

import "net"

// reserve keeps nothing: here the port is free while it is closed.
func reserve(net.Addr) (release func()) { return func() {} }
