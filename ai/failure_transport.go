package ai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// Aborted is the failure of a request that the caller cancelled.
func Aborted() *Failure { return &Failure{Class: FailAborted, Message: "Request was aborted"} }

// TransportFailure is the failure of a request to address that err ended
// before or while the answer came. A cancelled ctx gives FailAborted.
func TransportFailure(ctx context.Context, address string, err error) *Failure {
	if ctx.Err() == context.Canceled { // whatever cause the caller gave
		return Aborted()
	}
	host := hostOf(address)
	f := &Failure{Class: FailRetry}
	var (
		dns     *net.DNSError
		op      *net.OpError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
		verify  *tls.CertificateVerificationError
		netErr  net.Error
	)
	isOp := errors.As(err, &op)
	switch {
	case isOp && op.Op == "proxyconnect":
		f.Message = fmt.Sprintf("could not reach %s through the proxy: %s. Check the proxy variables of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).", host, root(err))
	case errors.As(err, &dns):
		f.Message = fmt.Sprintf("could not find the host %s (DNS: no such host or no answer). Check the network connection and the provider's base URL.", dns.Name)
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &verify):
		f.Class = FailFatal
		f.Message = fmt.Sprintf("the TLS certificate of %s was not accepted: %s. If a company proxy inspects traffic, add its certificate to the system or set SSL_CERT_FILE.", host, root(err))
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.Class = FailFatal
		f.Message = fmt.Sprintf("%s does not speak TLS. Check the provider's base URL: it may have to begin with http:// instead of https://.", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Message = fmt.Sprintf("connection refused: nothing listens at %s. Check that the server runs and that the provider's base URL is right.", host)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		f.Message = fmt.Sprintf("the connection to %s was lost before the answer was complete (%s).", host, root(err))
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		f.Message = fmt.Sprintf("%s timed out (%s). Check the network connection.", host, root(err))
	default:
		text := root(err)
		f.Class = Classify(0, text)
		if isOp || errors.Is(err, net.ErrClosed) {
			f.Class = FailRetry
		}
		f.Message = fmt.Sprintf("request to %s failed: %s.", host, strings.TrimRight(text, "."))
	}
	return f
}

// root is the error without the address that url.Error puts before it, which
// may hold a key in its query.
func root(err error) string {
	var ue *url.Error
	for errors.As(err, &ue) {
		err = ue.Err
	}
	return cleanLine(err.Error())
}
