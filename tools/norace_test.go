//go:build !race

package tools

const slow = 1
