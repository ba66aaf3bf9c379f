//go:build !race

package components

import "time"

const hostileLimit = 100 * time.Millisecond
