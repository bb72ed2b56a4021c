package matcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

func onReply(expected string, match func(*recording.Exchange) bool) Matcher {
	return words[*recording.Exchange]{expected, reply, match, Describe}
}

// BeResult expects a response with a result and without an error.
func BeResult() Matcher { return onReply("a result", (*recording.Exchange).Succeeded) }

// BeErrorReply expects a JSON-RPC error with one of the codes, or any error if none is
// given (JSON-RPC 2.0, error object). 5.0 counts as 5.
func BeErrorReply(codes ...int64) Matcher {
	if len(codes) == 0 {
		return onReply("a JSON-RPC error", (*recording.Exchange).Failed)
	}
	texts := make([]string, len(codes))
	for i, c := range codes {
		texts[i] = strconv.FormatInt(c, 10)
	}
	return onReply("a JSON-RPC error with code "+strings.Join(texts, " or "), func(x *recording.Exchange) bool {
		code, ok := x.Code()
		return ok && slices.Contains(codes, code)
	})
}

// BeRefused expects a JSON-RPC error, or an HTTP status from 400 to 499.
func BeRefused() Matcher {
	return onReply("a refusal (a JSON-RPC error, or an HTTP status of 4xx)", Refused)
}

// Refused reports whether an exchange was refused.
func Refused(x *recording.Exchange) bool {
	return x.Failed() || (x.Status >= 400 && x.Status < 500 && !x.Succeeded())
}

// HaveHTTPStatus expects an answer with an HTTP status. It needs an exchange: a JSON-RPC
// response alone has no status.
func HaveHTTPStatus(status int) Matcher {
	return onReply("HTTP "+strconv.Itoa(status), func(x *recording.Exchange) bool { return x.Status == status })
}

// BeRefusedWith expects an HTTP status together with a JSON-RPC error of a code. It needs an
// exchange over HTTP: a JSON-RPC response alone has no status.
func BeRefusedWith(status int, code int64) Matcher {
	return onReply(fmt.Sprintf("HTTP %d with the error %d", status, code), func(x *recording.Exchange) bool {
		got, ok := x.Code()
		return ok && got == code && x.Status == status
	})
}

// HaveContents expects a result of resources/read with an array of contents
// (server/resources#reading-resources).
func HaveContents() Matcher {
	return onReply("a result with contents", func(x *recording.Exchange) bool {
		return x.Succeeded() && x.Result().Get("contents").IsArray()
	})
}

// AskForInput expects a result that asks the client for input (2026-07-28,
// basic/patterns/mrtr).
func AskForInput() Matcher {
	return onReply("a new request for input", func(x *recording.Exchange) bool {
		return x.Result().Get("resultType").Str == "input_required"
	})
}
