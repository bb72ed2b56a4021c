package admin

import (
	"cmp"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// The codes of problems, with the HTTP status of each.
const (
	CodeInvalidJSON  = "invalid-json"           // 400
	CodeUnknownField = "unknown-field"          // 422: a member that there is not
	CodeInvalid      = "invalid"                // 422: a value that cannot be
	CodeParameter    = "invalid-parameter"      // 400: a query parameter
	CodeUnauthorized = "unauthorized"           // 401
	CodeForbidden    = "forbidden"              // 403: a host or origin that may not
	CodeNotFound     = "not-found"              // 404
	CodeMethod       = "method-not-allowed"     // 405
	CodeSlow         = "too-slow"               // 408: the body did not come in time
	CodeConflict     = "conflict"               // 409: not as things are now
	CodeTooLarge     = "too-large"              // 413
	CodeMediaType    = "unsupported-media-type" // 415
	CodeInternal     = "internal"               // 500
	CodeTimeout      = "timeout"                // 504: the client did not answer in time
)

var statuses = map[string]int{
	CodeInvalidJSON: http.StatusBadRequest, CodeUnknownField: http.StatusUnprocessableEntity,
	CodeInvalid:   http.StatusUnprocessableEntity,
	CodeParameter: http.StatusBadRequest, CodeUnauthorized: http.StatusUnauthorized,
	CodeForbidden: http.StatusForbidden,
	CodeNotFound:  http.StatusNotFound, CodeMethod: http.StatusMethodNotAllowed,
	CodeConflict: http.StatusConflict,
	CodeSlow:     http.StatusRequestTimeout,
	CodeTooLarge: http.StatusRequestEntityTooLarge, CodeMediaType: http.StatusUnsupportedMediaType,
	CodeInternal: http.StatusInternalServerError, CodeTimeout: http.StatusGatewayTimeout,
}

// Error is the problem in one sentence.
func (p *Problem) Error() string {
	if p.Field != "" && !strings.Contains(p.Message, p.Field) {
		return p.Field + ": " + p.Message
	}
	return p.Message
}

func problem(code, field, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...), Field: field}
}

// decode reads a body into v, strictly.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v, json.RejectUnknownMembers(true), exactNumbers)
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return problem(CodeInvalidJSON, dotted(syntax.JSONPointer), "the member %q is there twice",
			dotted(syntax.JSONPointer))
	case errors.As(err, &semantic) && errors.Is(semantic.Err, json.ErrUnknownName):
		return problem(CodeUnknownField, dotted(semantic.JSONPointer), "unknown member %q%s",
			dotted(semantic.JSONPointer),
			nearest.Question(semantic.JSONPointer.LastToken(), nearest.Members(semantic.GoType)))
	case errors.As(err, &semantic):
		return misfit(semantic)
	}
	return problem(CodeInvalidJSON, "", "the body is not JSON: %s", reason(err))
}

// exactNumbers keeps numbers of any size as they are written where any value may stand.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := d.ReadValue()
	*v = jsonv1.Number(number)
	return err
}))

// misfit says which member has a value that it cannot have.
func misfit(err *json.SemanticError) error {
	field := dotted(err.JSONPointer)
	if field == "" {
		return problem(CodeInvalid, "", "the body must be a JSON object, not %s", kind(err.JSONKind))
	}
	if (err.GoType == reflect.TypeFor[Duration]() || err.GoType == reflect.TypeFor[operation.Delay]()) &&
		err.JSONKind != '"' {
		return problem(CodeInvalid, field,
			"%s must be a string with a unit, such as \"3s\" or \"500ms\", not %s", field, kind(err.JSONKind))
	}
	if err.Err != nil {
		return problem(CodeInvalid, field, "%s: %s", field, reason(err.Err))
	}
	return problem(CodeInvalid, field, "%s has a wrong type: %s", field, kind(err.JSONKind))
}

// kindNames are the kinds of JSON values in words.
var kindNames = map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string",
	'0': "a number", '{': "an object", '[': "an array"}

func kind(k jsontext.Kind) string { return cmp.Or(kindNames[k], "this") }

// dotted is a pointer in dotted form.
func dotted(p jsontext.Pointer) string { return strings.Join(slices.Collect(p.Tokens()), ".") }

// reason is an error without the prefixes that name the package it is from.
func reason(err error) string {
	s := err.Error()
	for _, prefix := range []string{"jsontext: ", "json: ", "time: "} {
		s = strings.TrimPrefix(s, prefix)
	}
	return s
}

var unknownMember = regexp.MustCompile(`unknown member "([^"]*)"`)

// refused makes a problem of the error of a part of a world.
func refused(err error) error {
	if m := unknownMember.FindStringSubmatch(err.Error()); m != nil {
		return problem(CodeUnknownField, m[1], "%s", err)
	}
	return problem(CodeInvalid, "", "%s", err)
}
