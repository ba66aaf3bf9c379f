package js

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

type pathParams struct {
	Path      string `json:"path"`
	To        string `json:"to"`
	Data      string `json:"data"` // base 64 if Binary
	Binary    bool   `json:"binary"`
	Append    bool   `json:"append"`
	Exclusive bool   `json:"exclusive"`
	Recursive bool   `json:"recursive"`
	Force     bool   `json:"force"`
	Link      bool   `json:"link"` // of a symbolic link itself
	Mode      uint32 `json:"mode"`
	Length    int64  `json:"length"`
	ATime     int64  `json:"atime"`
	MTime     int64  `json:"mtime"`
}

// maxRead is the size at which a file is refused, in bytes.
const maxRead = 256 << 20

type stat struct {
	Size  int64   `json:"size"`
	Mode  uint32  `json:"mode"`
	MTime float64 `json:"mtimeMs"`
	Kind  string  `json:"kind"` // file, dir, link or other
}

func statOf(info fs.FileInfo) stat {
	kind := "other"
	switch m := info.Mode(); {
	case m.IsRegular():
		kind = "file"
	case m.IsDir():
		kind = "dir"
	case m&fs.ModeSymlink != 0:
		kind = "link"
	}
	return stat{info.Size(), uint32(info.Mode().Perm()), float64(info.ModTime().UnixNano()) / 1e6, kind}
}

func (s *system) files(method string) call {
	on := func(do func(p pathParams) (any, error)) call {
		return takes(func(_ context.Context, p pathParams) (any, error) {
			if p.Path != "" && !filepath.IsAbs(p.Path) {
				p.Path = filepath.Join(s.m.env.CWD, p.Path)
			}
			if p.To != "" && !filepath.IsAbs(p.To) && method != "sys.symlink" {
				p.To = filepath.Join(s.m.env.CWD, p.To)
			}
			return do(p)
		})
	}
	switch method {
	case "sys.readFile":
		return on(func(p pathParams) (any, error) {
			info, err := os.Stat(p.Path)
			if err != nil {
				return nil, err
			}
			if info.Size() > maxRead {
				return nil, fmt.Errorf("%s has more than %d bytes", p.Path, maxRead)
			}
			data, err := os.ReadFile(p.Path)
			if err != nil {
				return nil, err
			}
			if p.Binary {
				return text(base64.StdEncoding.EncodeToString(data)), nil
			}
			return text(data), nil
		})
	case "sys.writeFile":
		return on(writeFile)
	case "sys.exists":
		return on(func(p pathParams) (any, error) {
			_, err := os.Stat(p.Path)
			return err == nil, nil
		})
	case "sys.stat":
		return on(func(p pathParams) (any, error) {
			get := os.Stat
			if p.Link {
				get = os.Lstat
			}
			info, err := get(p.Path)
			if err != nil {
				return nil, err
			}
			return statOf(info), nil
		})
	case "sys.access":
		return on(func(p pathParams) (any, error) { return nil, access(p.Path, p.Mode) })
	case "sys.readdir":
		return on(func(p pathParams) (any, error) {
			list, err := os.ReadDir(p.Path)
			if err != nil {
				return nil, err
			}
			out := make([][2]string, 0, len(list))
			for _, e := range list {
				kind := "other"
				switch t := e.Type(); {
				case t.IsRegular():
					kind = "file"
				case t.IsDir():
					kind = "dir"
				case t&fs.ModeSymlink != 0:
					kind = "link"
				}
				out = append(out, [2]string{e.Name(), kind})
			}
			return out, nil
		})
	case "sys.mkdir":
		return on(func(p pathParams) (any, error) {
			if p.Recursive {
				return nil, os.MkdirAll(p.Path, 0o777)
			}
			return nil, os.Mkdir(p.Path, 0o777)
		})
	case "sys.rm":
		return on(func(p pathParams) (any, error) {
			if p.Recursive {
				if _, err := os.Lstat(p.Path); err != nil && !p.Force {
					return nil, err
				}
				return nil, os.RemoveAll(p.Path)
			}
			err := os.Remove(p.Path)
			if p.Force && os.IsNotExist(err) {
				err = nil
			}
			return nil, err
		})
	case "sys.rename":
		return on(func(p pathParams) (any, error) { return nil, os.Rename(p.Path, p.To) })
	case "sys.copy":
		return on(func(p pathParams) (any, error) {
			if p.Recursive {
				return nil, os.CopyFS(p.To, os.DirFS(p.Path))
			}
			return nil, copyFile(p.Path, p.To)
		})
	case "sys.symlink":
		return on(func(p pathParams) (any, error) { return nil, os.Symlink(p.To, p.Path) })
	case "sys.readlink":
		return on(func(p pathParams) (any, error) { return os.Readlink(p.Path) })
	case "sys.realpath":
		return on(func(p pathParams) (any, error) { return filepath.EvalSymlinks(p.Path) })
	case "sys.chmod":
		return on(func(p pathParams) (any, error) { return nil, os.Chmod(p.Path, fs.FileMode(p.Mode)) })
	case "sys.utimes": // times in milliseconds since 1970
		return on(func(p pathParams) (any, error) {
			return nil, os.Chtimes(p.Path, time.UnixMilli(p.ATime), time.UnixMilli(p.MTime))
		})
	case "sys.truncateFile":
		return on(func(p pathParams) (any, error) { return nil, os.Truncate(p.Path, p.Length) })
	case "sys.mkdtemp":
		return on(func(p pathParams) (any, error) {
			return os.MkdirTemp(filepath.Dir(p.Path), filepath.Base(p.Path)+"*")
		})
	case "sys.watch":
		return on(s.watch)
	case "sys.end": // {id}: ends a handle
		return takes(func(_ context.Context, p struct{ ID int }) (any, error) { s.end(p.ID); return nil, nil })
	}
	return nil
}

func writeFile(p pathParams) (any, error) {
	data := []byte(p.Data)
	if p.Binary {
		var err error
		if data, err = base64.StdEncoding.DecodeString(p.Data); err != nil {
			return nil, fmt.Errorf("write %s: %w", p.Path, err)
		}
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if p.Append {
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	if p.Exclusive {
		flag |= os.O_EXCL
	}
	mode := fs.FileMode(0o666)
	if p.Mode != 0 {
		mode = fs.FileMode(p.Mode)
	}
	f, err := os.OpenFile(p.Path, flag, mode)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return nil, err
	}
	return nil, f.Close()
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// watch tells of changes of a file or folder until its handle is ended.
func (s *system) watch(p pathParams) (any, error) {
	if _, err := os.Stat(p.Path); err != nil {
		return nil, err
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", p.Path, err)
	}
	if err := w.Add(p.Path); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watch %s: %w", p.Path, err)
	}
	id := s.open(func() { _ = w.Close() })
	go func() {
		for ev := range w.Events {
			kind := "change"
			if ev.Has(fsnotify.Create) || ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
				kind = "rename"
			}
			s.m.send(id, "change", []string{kind, filepath.Base(ev.Name)})
		}
	}()
	return id, nil
}
