// Package gateway holds tests of all protocols together: that bad input of
// every kind ends in one readable sentence with what to do, and that the
// protocols cost nothing at start.
package gateway
