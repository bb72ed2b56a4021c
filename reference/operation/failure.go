package operation

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
)

// Failure is what matching requests are answered with. With a Code it is a
// JSON-RPC error, over HTTP with Status (0 means 200). Without one, Status makes it an
// HTTP answer without a JSON-RPC message (over HTTP+SSE that to the POST, whose request
// is then never answered on the stream); on stdio such a failure is the error -32603.
type Failure struct {
	Code    int64  `yaml:"code" json:"code,omitempty"`
	Message string `yaml:"message" json:"message,omitempty"`
	Data    any    `yaml:"data" json:"data,omitzero"`
	Status  int    `yaml:"status" json:"status,omitempty"`
	// Header is added to the answer, Retry-After say.
	Header map[string]string `yaml:"header" json:"header,omitempty"`
	// Body is the body of an HTTP answer without a message, as plain text.
	Body string `yaml:"body" json:"body,omitempty"`
}

// Validate says what is wrong with the failure; nil if it can be answered with.
func (f *Failure) Validate() error {
	switch {
	case f.Code == 0 && f.Status == 0:
		return errors.New("a failure needs a code, a status or both")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Code != 0 && f.Body != "":
		return errors.New("a failure with a code has no body of its own")
	}
	return nil
}

// codeInternal is JSON-RPC's internal error.
const codeInternal = -32603

// Operations are the failure in the vocabulary of operations.
func (f *Failure) Operations() []Operation {
	a := Stub{Code: cmp.Or(f.Code, codeInternal), Message: f.Message, Data: f.Data, Status: f.Status,
		Header: f.Header}
	switch {
	case a.Message != "":
	case f.Code == 0:
		a.Message = http.StatusText(f.Status)
	case a.Code == codeInternal:
		a.Message = "Internal error"
	}
	all := []Operation{{On: OnRequest, Answer: &a}}
	if f.Code == 0 {
		all = append(all, Operation{On: OnHTTPRequest, Answer: &Stub{Status: f.Status, Header: f.Header,
			Body: f.Body}})
	}
	return all
}
