//go:build unix

package host

import (
	"net"
	"syscall"
)

// reserve keeps the port of an address by a socket that is bound to it and does not listen: connections are
// refused, and no other process can listen there. Where that cannot be had, the port is free meanwhile.
func reserve(address net.Addr) (release func()) {
	none := func() {}
	a, ok := address.(*net.TCPAddr)
	if !ok {
		return none
	}
	family, at := syscall.AF_INET6,
		syscall.Sockaddr(&syscall.SockaddrInet6{Port: a.Port, Addr: [16]byte(a.IP.To16())})
	if ip := a.IP.To4(); ip != nil {
		family, at = syscall.AF_INET, &syscall.SockaddrInet4{Port: a.Port, Addr: [4]byte(ip)}
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return none
	}
	reuse := func(value int) {
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR,
			value)
	}
	reuse(1) // connections to the port may be left
	_ = syscall.Bind(fd, at)
	reuse(0) // Linux lets others have the port as well otherwise
	return func() { _ = syscall.Close(fd) }
}
