package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// Failure is what matching requests are answered with. With a Code it is a
// JSON-RPC error, over HTTP with Status (0 means 200). Without one, Status makes it an
// HTTP answer without a JSON-RPC message (over HTTP+SSE that to the POST, whose request
// is then never answered on the stream); on stdio such a failure is the error -32603.
type Failure struct {
	Code    int64           `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Status  int             `json:"status,omitempty"`
	// Header is added to the answer, Retry-After say.
	Header map[string]string `json:"header,omitempty"`
	// Body is the body of an HTTP answer without a message, as plain text.
	Body string `json:"body,omitempty"`
}

func (f *Failure) validate() error {
	switch {
	case f.Code == 0 && f.Status == 0:
		return errors.New("a failure needs a code, a status or both")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Code != 0 && f.Body != "":
		return errors.New("a failure with a code has no body of its own")
	case f.Data != nil && !json.Valid(f.Data):
		return errors.New("the data of a failure must be JSON")
	}
	return nil
}

// codeInternal is JSON-RPC's internal error.
const codeInternal = -32603

// operations is the failure in the vocabulary of operations.
func (f *Failure) operations() []operation.Operation {
	a := operation.Stub{Code: f.Code, Message: f.Message, Status: f.Status, Header: f.Header}
	if f.Data != nil {
		a.Data, _ = hook.Decode(f.Data) // validate has seen that it is JSON
	}
	if a.Code == 0 {
		a.Code = codeInternal
	}
	switch {
	case a.Message != "":
	case f.Code == 0:
		a.Message = http.StatusText(f.Status)
	case a.Code == codeInternal:
		a.Message = "Internal error"
	}
	all := []operation.Operation{{On: operation.OnRequest, Answer: &a}}
	if f.Code == 0 {
		all = append(all, operation.Operation{On: operation.OnHTTPRequest, Answer: &operation.Stub{Status: f.Status, Header: f.Header, Body: f.Body}})
	}
	return all
}
