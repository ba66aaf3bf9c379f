//go:build race

package tools

// slow is how much longer things may take than they do without the race
// detector.
const slow = 5
