package interactive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"
)

// errNoImage says that the clipboard has no picture.
var errNoImage = errors.New("there is no picture on the clipboard")

// pasteImage puts the picture that is on the clipboard into a file, and the
// path of that into the editor. Where there is none, the text is pasted.
func (p *program) pasteImage() {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		path, err := clipboardImage(ctx, os.Getenv)
		text := ""
		if err != nil {
			text, _ = clipboardText(ctx, os.Getenv) // no program for it is no text either
		}
		p.ui.Post(func() {
			switch {
			case err == nil:
				p.editor.Insert(quotePath(path) + " ")
			case text != "":
				p.editor.HandlePaste(text)
			default:
				p.hint(err.Error())
			}
			p.ui.RequestRender()
		})
	}()
}

// quotePath puts a path with blanks in quotes, as completion does.
func quotePath(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}

// imageCommands are the programs that print a picture of the clipboard, in the
// order they are tried.
func imageCommands(getenv func(string) string) [][]string {
	switch {
	case runtime.GOOS == "darwin":
		return [][]string{{"pngpaste", "-"}}
	case runtime.GOOS == "windows" || getenv("WSL_DISTRO_NAME") != "":
		return [][]string{{"powershell.exe", "-NoProfile", "-Command",
			"Add-Type -A System.Windows.Forms;$i=[Windows.Forms.Clipboard]::GetImage();if($i){$m=New-Object IO.MemoryStream;$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);$o=[Console]::OpenStandardOutput();$b=$m.ToArray();$o.Write($b,0,$b.Length)}"}}
	case getenv("WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-paste", "--no-newline", "--type", "image/png"}, {"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}}
	}
	return [][]string{{"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}}
}

func textCommands(getenv func(string) string) [][]string {
	switch {
	case runtime.GOOS == "darwin":
		return [][]string{{"pbpaste"}}
	case runtime.GOOS == "windows" || getenv("WSL_DISTRO_NAME") != "":
		return [][]string{{"powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"}}
	case getenv("WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-paste", "--no-newline"}, {"xclip", "-selection", "clipboard", "-o"}}
	}
	return [][]string{{"xclip", "-selection", "clipboard", "-o"}, {"xsel", "--clipboard", "--output"}}
}

// first runs the commands until one prints something.
func first(ctx context.Context, commands [][]string) ([]byte, error) {
	err := errNoImage
	for _, c := range commands {
		path, e := exec.LookPath(c[0])
		if e != nil {
			if err == errNoImage {
				err = fmt.Errorf("%s is needed for the clipboard, and not there", c[0])
			}
			continue
		}
		out, e := exec.CommandContext(ctx, path, c[1:]...).Output()
		if e == nil && len(out) > 0 {
			return out, nil
		}
		err = errNoImage
	}
	return nil, err
}

// clipboardImage writes the picture of the clipboard to a file.
func clipboardImage(ctx context.Context, getenv func(string) string) (string, error) {
	b, err := first(ctx, imageCommands(getenv))
	if err != nil {
		return "", err
	}
	ext := ""
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n")):
		ext = "png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		ext = "jpg"
	default:
		return "", errNoImage
	}
	path := filepath.Join(os.TempDir(), "tau-clipboard-"+uuid.NewString()+"."+ext)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return "", fmt.Errorf("keep the picture of the clipboard: %w", err)
	}
	return path, nil
}

func clipboardText(ctx context.Context, getenv func(string) string) (string, error) {
	b, err := first(ctx, textCommands(getenv))
	return string(b), err
}
