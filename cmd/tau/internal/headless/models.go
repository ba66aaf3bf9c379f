package headless

import (
	"fmt"
	"io"
	"text/tabwriter"

	"tau/ai/catalog"
)

// ListModels prints the models that match the words of search as a table. It
// returns the program's exit status.
func ListModels(c *catalog.Catalog, search string, out io.Writer) int {
	models := c.List(search)
	if len(models) == 0 {
		fmt.Fprintf(out, "No model matches %q.\n", search)
		return 1
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "provider\tmodel\tcontext\tmax-out\tthinking\timages")
	for _, m := range models {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.Provider, m.ID, Tokens(m.ContextWindow), Tokens(m.MaxTokens), yes(m.Reasoning), yes(m.Sees()))
	}
	if w.Flush() != nil {
		return 1
	}
	return 0
}

// Tokens writes a count as people read it: 950, 1.2k, 12k, 1.2M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	case n < 10_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
