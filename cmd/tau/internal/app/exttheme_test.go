package app

import (
	"os"
	"testing"

	"tau/cmd/tau/internal/cli"
)

// A theme that is asked for by name is that one, not the one in use.
func TestThemesOfExtensions(t *testing.T) {
	a, s, dir, failures := extended(t, cli.Options{}, "", `export default (pi) => { pi.registerCommand("themes", { handler: (args, ctx) => {
		const light = ctx.ui.getTheme("light"), dark = ctx.ui.getTheme("dark");
		require("fs").writeFileSync("DIR/out", JSON.stringify([light.name, dark.name, light.fg("accent", "x") !== dark.fg("accent", "x"), dark.fg("accent", "x") === ctx.ui.theme.fg("accent", "x"), ctx.ui.getTheme("none") === undefined]));
	} }); }`)
	c, args, ok := a.Runner(s).Command("/themes")
	if !ok {
		t.Fatalf("there is no command: %s", failures())
	}
	if err := a.Runner(s).Run(t.Context(), c, args); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(dir + "/out"); err != nil || string(b) != `["light","dark",true,true,true]` {
		t.Errorf("%s, %v", b, err)
	}
}
