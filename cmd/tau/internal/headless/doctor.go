package headless

import (
	"fmt"
	"io"

	"tau/session/doctor"
	"tau/tui/text"
)

// Doctor checks session files and says what is wrong with them. With repair it
// writes a sound copy beside each that is damaged. The status is 1 if there is
// damage that was not repaired.
func Doctor(paths []string, repair bool, out, errs io.Writer) int {
	damaged, status := 0, 0
	for _, path := range paths {
		report, err := doctor.Check(path)
		if err != nil {
			fmt.Fprintln(errs, "tau:", err)
			status = 1
			continue
		}
		if report.Sound() {
			continue
		}
		damaged++
		fmt.Fprintf(out, "%s: %d entries can be read\n", path, report.Entries)
		for _, f := range report.Findings {
			fmt.Fprintln(out, "  "+text.Sanitize(f.String()))
		}
		if !repair {
			status = 1
			continue
		}
		fixed, err := doctor.Repair(path)
		if err != nil {
			fmt.Fprintln(errs, "tau:", err)
			status = 1
			continue
		}
		fmt.Fprintln(out, "  repaired copy:", fixed)
	}
	fmt.Fprintf(out, "%d sessions checked, %d damaged\n", len(paths), damaged)
	return status
}
