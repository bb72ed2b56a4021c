//go:build !unix

package host

import "net"

// reserve keeps nothing: here the port is free while it is closed.
func reserve(net.Addr) (release func()) { return func() {} }
