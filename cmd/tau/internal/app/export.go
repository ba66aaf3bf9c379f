package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tau/ai"
	"tau/session/export"
	"tau/session/store"
	"tau/themes"
)

// Export writes a session to a file: the path to its leaf as a session of its
// own if the name ends in .jsonl, else all of it as an HTML page. An empty name
// is the usual one in the working folder. It returns the path of the file, which
// must not be there yet.
func (a *App) Export(st *store.Store, name string, th *themes.Theme) (path string, err error) {
	if !slices.ContainsFunc(st.Tree().Nodes, func(n store.TreeNode) bool { return n.Type == "message" && n.Role != ai.RoleSystem }) {
		return "", errors.New("export: there is nothing in this session yet")
	}
	if name == "" {
		name = export.FileName(st.Path())
	}
	if path = expandHome(name); !filepath.IsAbs(path) {
		path = filepath.Join(a.CWD, path)
	}
	if strings.HasSuffix(path, ".jsonl") {
		if _, err := os.Lstat(path); err == nil {
			return "", fmt.Errorf("export: %s is there already", path)
		}
		out, err := st.CopyPath(path, store.Header{CWD: a.CWD}, "")
		if err != nil {
			return "", fmt.Errorf("export: %w", err)
		}
		return path, out.Close()
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("export: %s is there already", path)
	} else if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	err = export.HTML(f, st, export.Options{Colors: colors(th)})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(path)
		return "", fmt.Errorf("export: %w", err)
	}
	return path, nil
}

// ExportFile is the flag --export: a session file to an HTML page or a session.
func (a *App) ExportFile(session, name string) (path string, err error) {
	ref, err := a.Find(session)
	if err != nil {
		return "", err
	}
	st, err := store.Open(ref.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = st.Close() }()
	th, err := themes.Load(themes.Pick(cmp.Or(a.Options.UseTheme, a.Settings.Theme, "dark"), themes.Dark), themes.Options{
		Depth: themes.Truecolor, Dirs: []string{filepath.Join(a.AgentDir, "themes")},
	})
	if err != nil {
		a.Problems = append(a.Problems, err)
	}
	return a.Export(st, name, th)
}

// colors are the colours of a theme as a page names them.
func colors(th *themes.Theme) map[string]string {
	if th == nil {
		return nil
	}
	out := map[string]string{}
	for _, tok := range themes.Tokens() {
		if c, ok := th.Color(tok).RGB(); ok {
			out[tok.String()] = c.String()
		}
	}
	page := th.Export()
	for name, c := range map[string]string{"pageBg": page.PageBg, "cardBg": page.CardBg, "infoBg": page.InfoBg} {
		if c != "" {
			out[name] = c
		}
	}
	return out
}
