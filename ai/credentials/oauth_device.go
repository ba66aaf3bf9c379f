package credentials

import (
	"context"
	"errors"

	"golang.org/x/oauth2"
)

// device signs in by a code that the user types on another device.
func (f *Flow) device(ctx context.Context, guide Guide) (Entry, error) {
	config := f.config("")
	verifier := oauth2.GenerateVerifier()
	d, err := config.DeviceAuth(ctx, oauth2.S256ChallengeOption(verifier))
	if err != nil {
		return Entry{}, tokenError("ask for a code", err)
	}
	address := d.VerificationURI
	if d.VerificationURIComplete != "" {
		address = d.VerificationURIComplete
	}
	guide.ShowCode(cleaned(d.UserCode), cleaned(address), d.Expiry)
	token, err := config.DeviceAccessToken(ctx, d, oauth2.VerifierOption(verifier))
	switch {
	case err == nil:
		return entryOf(token), nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return Entry{}, errors.New("sign in: the code was not typed in time")
	case ctx.Err() != nil:
		return Entry{}, ctx.Err()
	}
	return Entry{}, tokenError("sign in", err)
}
