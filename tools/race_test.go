//go:build race

package tools

import "time"

// slow is how much longer things may take than they do without the race
// detector.
const slow = 5

// soon is how long an aborted call may take. The tests of other packages run
// beside those under the race detector, and now and then stop them for a second.
const soon = 3 * time.Second
