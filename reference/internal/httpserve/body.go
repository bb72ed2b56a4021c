package httpserve

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	// BodyPause is how long nothing may come of a body that has not ended.
	BodyPause = 10 * time.Second
	// bodyTime is how long a body may take.
	bodyTime = 90 * time.Second
)

// Pace returns the body of a request. Reading it fails by os.ErrDeadlineExceeded if nothing comes of it for
// BodyPause, or it takes longer than 90 seconds. This holds for a body that nobody reads as well. The
// connection of one that was too slow ends with the answer, because its next request could not be found.
func Pace(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	if body == nil || body == http.NoBody {
		return body
	}
	b := &paced{body, http.NewResponseController(w), time.Now().Add(bodyTime)}
	b.wait()
	return b
}

type paced struct {
	io.ReadCloser
	control *http.ResponseController
	end     time.Time
}

// wait has the deadline be that of a read that begins now.
func (b *paced) wait() {
	// What has no deadlines is no network connection.
	_ = b.control.SetReadDeadline(time.Now().Add(min(BodyPause, time.Until(b.end))))
}

// Read reads what comes in time.
func (b *paced) Read(p []byte) (int, error) {
	b.wait()
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// NotJSON says what is wrong with the media type of a request whose body is to be JSON in UTF-8, or a JSON
// merge patch; empty if nothing is. A page of another origin cannot send a right one without a preflight.
func NotJSON(r *http.Request, patch bool) string {
	const advice = "send application/json"
	given := strings.Join(r.Header["Content-Type"], ",") // there can be but one
	if given == "application/json" {
		return ""
	}
	mediaType, params, err := mime.ParseMediaType(given)
	if err != nil || mediaType != "application/json" &&
		!(patch && mediaType == "application/merge-patch+json") {
		return advice
	}
	charset, named := params["charset"]
	known := !named || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
	if !known || strings.Contains(strings.ToLower(given), "charset*") { // which is in a form that is not read
		return advice + " in UTF-8, with no other charset"
	}
	return ""
}
