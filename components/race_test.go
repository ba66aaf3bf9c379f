//go:build race

package components

import "time"

// The race detector slows everything down by a factor of ten and more.
const hostileLimit = 2 * time.Second
