package partialjson

// numberState is a place in the grammar of numbers.
type numberState uint8

const (
	numberStart numberState = iota
	numberMinus
	numberZero
	numberInt
	numberPoint
	numberFraction
	numberE
	numberESign
	numberExponent
)

func (n numberState) whole() bool {
	return n == numberZero || n == numberInt || n == numberFraction || n == numberExponent
}

// next moves on by c, or reports that c does not belong to the number.
func (n *numberState) next(c byte) bool {
	digit := c >= '0' && c <= '9'
	to := numberStart
	switch *n {
	case numberStart, numberMinus:
		switch {
		case c == '-' && *n == numberStart:
			to = numberMinus
		case c == '0':
			to = numberZero
		case digit:
			to = numberInt
		}
	case numberZero, numberInt:
		switch {
		case digit && *n == numberInt:
			to = numberInt
		case c == '.':
			to = numberPoint
		case c == 'e' || c == 'E':
			to = numberE
		}
	case numberPoint, numberFraction:
		switch {
		case digit:
			to = numberFraction
		case *n == numberFraction && (c == 'e' || c == 'E'):
			to = numberE
		}
	case numberE, numberESign, numberExponent:
		switch {
		case digit:
			to = numberExponent
		case *n == numberE && (c == '+' || c == '-'):
			to = numberESign
		}
	}
	if to == numberStart {
		return false
	}
	*n = to
	return true
}
