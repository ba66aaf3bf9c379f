package tui

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tau/tui/graphics"
	"tau/tui/term"
	"tau/tui/termtest"
	"tau/tui/vt"
)

// tilesOn counts the cells of the screen that show a picture.
func tilesOn(dev *termtest.Device) (n int) {
	dev.Screen(func(v *vt.Terminal) {
		w, h := v.Size()
		for y := range h {
			for x := range w {
				if v.Cell(y, x).Picture != (vt.Tile{}) {
					n++
				}
			}
		}
	})
	return n
}

// pictureRig is a UI with a picture of 10 by 4 cells below 3 lines.
func pictureRig(t *testing.T, p graphics.Protocol, inline bool) (*rig, *List) {
	pics := testPictures(rand.New(rand.NewSource(1)), p)
	pics.begin = func(f func()) { go f() }
	l := NewList(text1("one", "two"), &pictureLabel{above: []string{"three"}, pic: pics.Picture([]byte{30, 20, 1}), cols: 10, rows: 4, settled: allSettled})
	dev := termtest.New(30, 12)
	dev.Screen(func(v *vt.Terminal) { v.SetAnswers(vt.Answers{DA1: true, CellSize: [2]int{3, 5}}) })
	r := &rig{t: t, dev: dev, err: make(chan error, 1)}
	r.ui = New(term.New(dev, term.Options{Getenv: noEnv}), Options{Inline: inline, Pictures: pics.Pictures})
	r.ui.SetRoot(NewVStack(Fill(NewScrollView(r.ui, l)), Fixed(text1("> "+CursorMarker))))
	go func() { r.err <- r.ui.Run(context.Background()) }()
	r.settle()
	return r, l
}

// A picture is there, stays away from what is not its place, and is gone when
// the program does not show it any more: after a switch, a suspension, the end.
func TestPicturesComeAndGo(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, l := pictureRig(t, graphics.Kitty, inline)
			want := func(when string, n int) {
				t.Helper()
				if got := tilesOn(r.dev); got != n {
					t.Errorf("inline=%v, %s: %d cells of pictures, want %d\n%s", inline, when, got, n, r.dev)
				}
				r.dev.Screen(func(v *vt.Terminal) {
					if bad := v.BadPictures(); bad != nil {
						t.Errorf("%s: %q", when, bad)
					}
				})
			}
			want("at start", 40)
			r.do(func() {
				r.ui.ShowOverlay(text1("12345", "12345"), OverlayOptions{Width: Cells(5), Row: Cells(4), Col: Cells(4)})
			})
			want("with an overlay on it", 30)
			r.do(r.ui.HideOverlay)
			want("without", 40)
			r.dev.SetSize(24, 9)
			r.settle()
			want("in a smaller window", 40)
			r.dev.OnSuspend(func() {
				if got := tilesOn(r.dev); !inline && got != 0 {
					t.Errorf("%d cells of pictures while suspended", got)
				}
			})
			r.do(func() { _ = r.ui.Suspend() })
			r.dev.OnSuspend(func() {})
			if !inline {
				want("after a suspension", 40)
				r.do(func() { r.ui.SetInline(true) })
				want("on the other screen", 40)
				r.do(func() { r.ui.SetInline(false) })
				want("and back", 40)
				r.do(func() { l.Remove(l.At(1)); r.ui.RequestRender() })
				want("without the component", 0)
			}
			if err := r.stop(); err != nil {
				t.Error(err)
			}
			if !inline {
				r.dev.Screen(func(v *vt.Terminal) {
					if n := strings.Count(v.String(), "> "); n > 1 {
						t.Errorf("%d prompts\n%s", n, v)
					}
				})
			}
		})
	}
}

// What draws is inside of synchronized updates, and no write is large: an upload
// goes in pieces, with keys answered in between.
func TestPictureUploadsInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pics := testPictures(rand.New(rand.NewSource(1)), graphics.Kitty)
		pics.cellW, pics.cellH = 25, 50
		pics.begin = func(f func()) { go f() }
		label := &pictureLabel{pic: pics.Picture([]byte{250, 250, 1}), cols: 10, rows: 5}
		r := start(t, 30, 12, Options{Pictures: pics.Pictures}, func(u *UI) { u.SetRoot(label) })
		r.settle()
		total := 0
		for _, w := range r.dev.Writes() {
			if bytes.Contains(w, []byte("\x1b_G")) {
				upload := bytes.HasPrefix(w, []byte("\x1b_G"))
				if !upload && !bytes.HasPrefix(w, []byte(beginSync)) || !upload && !bytes.HasSuffix(w, []byte(endSync)) || len(w) > 64<<10 {
					t.Errorf("a write of %d bytes: %.40q", len(w), w)
				}
				total += len(w)
			}
		}
		if total < 250_000 || tilesOn(r.dev) != 50 {
			t.Errorf("%d bytes, %d cells", total, tilesOn(r.dev))
		}
		r.stop()
	})
}

// A terminal that draws pictures into cells gets them on the main screen only.
func TestInlinePictures(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := pictureRig(t, graphics.ITerm2, inline)
			if shown := r.ui.opt.Pictures.Shown(); shown != inline {
				t.Errorf("inline=%v: shown=%v", inline, shown)
			}
			if inline && tilesOn(r.dev) != 40 {
				t.Errorf("%d cells\n%s", tilesOn(r.dev), r.dev)
			}
			r.do(func() { r.ui.SetInline(!inline) })
			if shown := r.ui.opt.Pictures.Shown(); shown == inline {
				t.Error("after a switch it is the same")
			}
			r.stop()
		})
	}
}

// A terminal keeps 16 pictures that are out of sight, and those in sight.
func TestPicturesOutOfSightAreFreed(t *testing.T) {
	pics := testPictures(rand.New(rand.NewSource(1)), graphics.Kitty)
	screen := vt.New(30, 10)
	ren := &screenRenderer{paint: painter{pics: pics.Pictures}}
	for i := range 40 {
		p := pics.Picture([]byte{15, 15, byte(i)})
		for first := true; first || ren.paint.more; first = false {
			for _, b := range ren.frame(p.Lines(5, 3), 30, 10, "") {
				_, _ = screen.Write(b)
			}
		}
		if n := screen.Pictures(); n != min(i+1, keepPictures) {
			t.Fatalf("after %d: %d are kept", i+1, n)
		}
	}
	if bad := screen.BadPictures(); bad != nil {
		t.Error(bad)
	}
}

// Text that looks like a picture's cells shows nothing of it.
func TestForeignPictureCells(t *testing.T) {
	pics := testPictures(rand.New(rand.NewSource(1)), graphics.Kitty)
	raw := pics.Picture([]byte{15, 15, 1}).Lines(5, 3)[0]
	for _, p := range []*Pictures{nil, testPictures(rand.New(rand.NewSource(1)), graphics.Kitty).Pictures} {
		if l := prepare("a"+raw+"b", 20, false, p); l.out != "a     b" || len(l.runs) != 0 {
			t.Errorf("%q %v", l.out, l.runs)
		}
	}
	if l := prepare("a"+raw+"b", 4, false, pics.Pictures); l.out != "a   " || fmt.Sprint(l.runs[0].x, l.runs[0].n) != "1 3" {
		t.Errorf("%q %v", l.out, l.runs)
	}
}

// What happens elsewhere on the screen sends nothing of a picture, and moving it
// sends only where it is.
func TestPicturesAreSentOnce(t *testing.T) {
	for _, inline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, l := pictureRig(t, graphics.Kitty, inline)
			graphic := func() (n int) {
				for _, w := range r.dev.Writes() {
					for _, s := range bytes.Split(w, []byte("\x1b_G"))[1:] {
						n += len(s)
					}
				}
				return n
			}
			if n := graphic(); n < 500 {
				t.Fatalf("inline=%v: %d bytes at the start", inline, n)
			}
			r.do(func() { l.Append(text1("four")); r.ui.RequestRender() })
			r.do(func() { l.At(2).Component().(*label).set("four and more"); r.ui.RequestRender() })
			r.do(func() { l.At(0).Component().(*label).set("one", "2"); r.ui.RequestRender() })
			if n := graphic(); n != 0 {
				t.Errorf("inline=%v: %d bytes of graphics while the picture stays", inline, n)
			}
			r.do(func() { l.Insert(0, text1("zero")); r.ui.RequestRender() })
			if n := graphic(); n == 0 || n > 200 {
				t.Errorf("inline=%v: %d bytes of graphics to move the picture", inline, n)
			}
			if n := tilesOn(r.dev); n != 40 {
				t.Errorf("inline=%v: %d cells", inline, n)
			}
			r.stop()
		})
	}
}

// A write that fails anywhere leaves nothing behind that the next frames do not
// put right.
func TestPicturesAfterAFailedWrite(t *testing.T) {
	for cut := 1; cut < 9000; cut += 97 {
		pics := testPictures(rand.New(rand.NewSource(1)), graphics.Kitty)
		screen := vt.New(30, 10)
		ren := &screenRenderer{paint: painter{pics: pics.Pictures, share: 100}}
		a, b := pics.Picture([]byte{36, 30, 1}), pics.Picture([]byte{30, 20, 2})
		rows := append(append([]string(nil), a.Lines(12, 6)...), b.Lines(10, 4)...)
		left := cut
		for first := true; left > 0 && (first || ren.paint.more); first = false {
			for _, w := range ren.frame(rows, 30, 10, "") {
				_, _ = screen.Write(w[:min(left, len(w))])
				left -= min(left, len(w))
			}
		}
		ren.reset()
		rows = append(rows[:0:0], rows[3:]...)
		for first := true; first || ren.paint.more; first = false {
			for _, w := range ren.frame(rows, 30, 10, "") {
				_, _ = screen.Write(w)
			}
		}
		checkTiles(t, fmt.Sprint("cut at ", cut), screen, 0, &ren.paint, 10, func(y int) []run { return ren.prev[y].runs })
		if bad := screen.BadPictures(); bad != nil {
			t.Fatalf("cut at %d: %q", cut, bad)
		}
	}
}

// Pictures that are ready late, on a terminal that takes its time, while text
// streams: in the end all that are in sight are there.
func TestPicturesArrive(t *testing.T) {
	for seed := range int64(60) {
		synctest.Test(t, func(t *testing.T) {
			inline := seed%2 == 0
			r := rand.New(rand.NewSource(seed))
			// The pictures are made on the UI's goroutine.
			pics := testPictures(rand.New(rand.NewSource(seed+1000)), graphics.Kitty)
			pics.begin = func(f func()) {
				late := time.Duration(pics.r.Intn(60)) * time.Millisecond
				go func() { time.Sleep(late); f() }()
			}
			l := NewList()
			g := start(t, 40, 16, Options{Inline: inline, Pictures: pics.Pictures}, func(u *UI) {
				u.draws.screen.paint.share = 100
				if u.draws.inline != nil {
					u.draws.inline.paint.share = 100
				}
				u.SetRoot(NewVStack(Fill(NewScrollView(u, l)), Fixed(text1("> "+CursorMarker))))
			})
			for range 60 {
				var release func()
				if r.Intn(3) == 0 {
					release = g.dev.Hold()
				}
				kind, line := r.Intn(4), randomLine(r)
				g.ui.Post(func() {
					switch kind {
					case 0:
						l.Append(pics.label(line))
					case 1:
						if l.Len() > 0 {
							setLines(l.At(l.Len()-1).Component(), []string{line, line})
						}
					default:
						l.Append(text1(line))
					}
					g.ui.RequestRender()
				})
				time.Sleep(time.Duration(r.Intn(40)) * time.Millisecond)
				if release != nil {
					release()
				}
			}
			time.Sleep(3 * time.Second)
			g.do(func() {
				p, n, top := &g.ui.draws.screen.paint, 16, 0
				runs := func(y int) []run { return g.ui.draws.screen.prev[y].runs }
				if d := g.ui.draws.inline; d != nil {
					p, n, runs = &d.paint, len(d.rows), func(y int) []run { return d.rows[y].runs }
				}
				for y := range n {
					for _, c := range runs(y) {
						if !p.shows(c.view) {
							t.Errorf("seed %d: the picture in row %d is not there", seed, y)
							return
						}
					}
				}
				g.dev.Screen(func(v *vt.Terminal) {
					if d := g.ui.draws.inline; d != nil {
						row, _ := v.Cursor()
						top = row - d.cur
					}
					checkTiles(t, fmt.Sprint("seed ", seed), v, top, p, n, runs)
					if bad := v.BadPictures(); bad != nil {
						t.Errorf("seed %d: %q", seed, bad)
					}
				})
			})
			g.stop()
		})
	}
}
