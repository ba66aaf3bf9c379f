//go:build !race

package tools

import "time"

const slow = 1

const soon = 100 * time.Millisecond
