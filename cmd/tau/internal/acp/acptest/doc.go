// Package acptest runs whole sessions of the Agent Client Protocol with the
// client of another project, github.com/coder/acp-go-sdk, against the program.
//
// It is a module of its own, so that tau does not depend on that client.
package acptest
