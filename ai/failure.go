package ai

import "time"

// FailClass says what can be done about a failed request.
type FailClass string

// The classes of failures.
const (
	FailRetry    FailClass = "retry"    // the same request may succeed later
	FailOverflow FailClass = "overflow" // the context is too long: compact, then retry
	FailAuth     FailClass = "auth"     // sign in again or correct the key
	FailQuota    FailClass = "quota"    // money or plan: waiting seconds does not help
	FailFatal    FailClass = "fatal"    // the request itself is wrong
	FailAborted  FailClass = "aborted"  // the caller cancelled
)

// Failure is why a request failed, typed once where the provider's answer is
// read: see [HTTPFailure], [TransportFailure] and [StreamFailure].
type Failure struct {
	Class      FailClass
	Status     int           // HTTP status, 0 if there was no response
	RetryAfter time.Duration // the server's wish; 0 if it had none
	Message    string        // one readable sentence, with the provider's words
}

func (f *Failure) Error() string { return f.Message }
