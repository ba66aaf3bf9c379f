//go:build !linux

package js

func warm() {}
