package catalog

import "testing"

// Models that make pictures or classify are nothing to talk to.
func TestOtherTypesOfModels(t *testing.T) {
	c, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Extend("media", []byte(`{"models":[{"type":"image","id":"paint","output":["image"]},{"type":"classifier","id":"sort"}]}`))
	if err != nil || len(c.Models("media")) != 0 {
		t.Errorf("%v: %+v", err, c.Models("media"))
	}
	err = c.Extend("media", []byte(`{"baseUrl":"http://x","api":"openai-completions","models":[{"type":"image","id":"paint"},{"type":"chat","id":"talk"},{"id":"also"}]}`))
	if m := c.Models("media"); err != nil || len(m) != 2 || m[0].ID != "talk" || m[1].ID != "also" {
		t.Errorf("%v: %+v", err, m)
	}
}
