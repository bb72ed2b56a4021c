// Package proof holds no code, only tests: they show that the suite can be
// believed. The reference server passes; every fault of the reference turns the
// requirement red that it breaks; legally odd behaviour changes nothing; and
// targets that misbehave in every other way get the right verdict in bounded time.
package proof
