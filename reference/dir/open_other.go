//go:build !unix

package dir

// nonblocking changes nothing where directories hold no pipes.
const nonblocking = 0
