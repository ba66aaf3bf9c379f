package packages

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits of an archive.
const (
	maxArchive  = 128 << 20
	maxUnpacked = 512 << 20
	maxFiles    = 50_000
)

// extract unpacks an archive of npm into a folder that is made. Its files are
// below one folder, which is left out. Links and other special files are left
// out as npm does; a path that leads out of the folder ends it.
func extract(r io.Reader, dir string) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(zip)
	var total int64
	for files := 0; ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		_, name, ok := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		if !ok || name == "" {
			continue
		}
		if path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("the archive has the path %q", h.Name)
		}
		files++
		if total += h.Size; total > maxUnpacked || files > maxFiles {
			return errors.New("the archive holds too much")
		}
		if err := unpack(root, filepath.FromSlash(name), in, h.Mode&0o111 != 0); err != nil {
			return err
		}
	}
}

func unpack(root *os.Root, name string, in io.Reader, executable bool) error {
	mode := os.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
