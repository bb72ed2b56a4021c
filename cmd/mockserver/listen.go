package main

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// busyError is an address that is well written but cannot be had: exit code 1.
type busyError struct{ error }

// Unwrap is why the address cannot be had.
func (e busyError) Unwrap() error { return e.error }

// unlistened says, with the flag, why an address cannot be listened on.
func unlistened(flag, addr string, err error) error {
	if refused, ok := errors.AsType[*os.SyscallError](err); ok {
		return busyError{fmt.Errorf("%s %s: %w: choose another port, or 0 for any that is free", flag, addr, refused.Err)}
	}
	var malformed *net.AddrError
	var unknown *net.DNSError
	if errors.As(err, &malformed) || errors.As(err, &unknown) {
		return usagef("%s %s: this is no HOST:PORT of this machine, as 127.0.0.1:8931 is", flag, addr)
	}
	return usagef("%s %s: %w", flag, addr, err)
}

// busy takes the mark of a mistake in the arguments from an address that cannot be had.
func busy(err error) error {
	if b, ok := errors.AsType[busyError](err); ok {
		return b
	}
	return err
}
