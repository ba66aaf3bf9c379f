// Command tau is a coding agent that lives in the terminal.
package main

import "os"

func main() { os.Exit(0) }
