//go:build !race

package components

import "time"

const hostileLimit = 2 * time.Second
