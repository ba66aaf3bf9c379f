package tools

import (
	"io/fs"
	"os"
)

func links(fs.FileInfo) uint64 { return 1 }

func keepOwner(File, fs.FileInfo) {}

func umask() os.FileMode { return 0 }
