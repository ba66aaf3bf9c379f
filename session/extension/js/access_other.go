//go:build !unix

package js

import "os"

func access(path string, _ uint32) error {
	_, err := os.Stat(path)
	return err
}
