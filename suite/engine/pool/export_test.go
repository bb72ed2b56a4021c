package pool

// What the tests outside of the package use.
const FirstSign = firstSign

// Taken is how many places are taken.
func (l *Limit) Taken() int { return len(l.slots) }
