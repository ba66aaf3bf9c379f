package chat_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"tau/agent"
	"tau/ai"
	"tau/components"
	"tau/components/chat"
	"tau/themes"
	"tau/tui"
	"tau/tui/graphics"
	"tau/tui/text"
)

func picture(t *testing.T) *ai.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 180, 90))); err != nil {
		t.Fatal(err)
	}
	return &ai.Image{Data: base64.StdEncoding.EncodeToString(b.Bytes()), MimeType: "image/png"}
}

func look(t *testing.T, p *tui.Pictures) *chat.Look {
	t.Helper()
	th, err := themes.Load("dark", themes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &chat.Look{Theme: th, CWD: "/work", Pictures: p}
}

// rows counts the lines with a picture.
func rows(lines []string) (n int) {
	for _, l := range lines {
		if text.HasPicture(l) {
			n++
		}
	}
	return n
}

func TestPicturesOfResults(t *testing.T) {
	for _, c := range []struct {
		name     string
		pictures *tui.Pictures
		rows     int
	}{
		{"no pictures", nil, 0},
		{"kitty", tui.NewPictures(graphics.Kitty, components.DecodeImage), 5},
	} {
		l := look(t, c.pictures)
		b := chat.NewBatch(l)
		for _, id := range []string{"1", "2"} {
			card := chat.NewCard(l, "read", id)
			b.Add(card)
			card.SetArgs(json.RawMessage(`{"path":"a.png"}`))
			card.Start(time.Now())
			card.Finish(&agent.Result{Content: []ai.Block{&ai.Text{Text: "Picture a.png"}, picture(t)}}, -1)
		}
		for _, width := range []int{100, 40} {
			lines := b.Render(width)
			if n := rows(lines); n != 2*c.rows {
				t.Errorf("%s: %d rows of pictures at %d, want %d", c.name, n, width, 2*c.rows)
			}
			for _, s := range lines {
				if text.Width(s) > width {
					t.Errorf("%s: %d columns at %d: %q", c.name, text.Width(s), width, s)
				}
			}
		}
		// Without pictures the calls fold; one that stands alone says what it is.
		b = chat.NewBatch(l)
		card := chat.NewCard(l, "read", "3")
		b.Add(card)
		card.SetArgs(json.RawMessage(`{"path":"a.png"}`))
		card.Finish(&agent.Result{Content: []ai.Block{picture(t)}}, -1)
		if got := text.StripSequences(b.Render(100)[0]); !strings.Contains(got, "png 180x90") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestPicturesOfMessages(t *testing.T) {
	u := chat.NewUser(look(t, nil), "see this", time.Time{})
	u.AddImages([]ai.Block{&ai.Text{Text: "see this"}, picture(t)})
	if got := text.StripSequences(strings.Join(u.Render(80), "|")); !strings.Contains(got, "[Image: [image/png] 180x90]") {
		t.Errorf("%q", got)
	}
	u = chat.NewUser(look(t, tui.NewPictures(graphics.Kitty, components.DecodeImage)), "", time.Time{})
	u.AddImages([]ai.Block{picture(t), &ai.Image{Data: "no picture", MimeType: "image/png"}})
	lines := u.Render(80)
	if rows(lines) != 5 || !strings.Contains(text.StripSequences(strings.Join(lines, "|")), "not readable") {
		t.Errorf("%d rows, %q", rows(lines), lines)
	}
}
