//go:build race

package store

// racing is true under the race detector, which makes everything ten times as
// slow.
const racing = true
