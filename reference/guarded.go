package reference

import (
	"net/http"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// guarded puts the guard around and within the deviations.
func guarded(g *guard.Guard, deviations, further hook.Hooks) hook.Hooks {
	if g == nil {
		return hook.Join(deviations, further)
	}
	return hook.Join(g.Outer(), deviations, further, g.Inner())
}

// resolve puts fingerprints in place of the names of owners.
func (s *Server) resolve() {
	for i := range s.initial {
		s.initial[i].Identity = s.Fingerprint(s.initial[i].Identity)
	}
	for i := range s.pristine.Resources {
		s.known(&s.pristine.Resources[i])
	}
	for i := range s.pristine.Timeline {
		if put := s.pristine.Timeline[i].Put; put != nil {
			s.known(put)
		}
	}
}

// known puts fingerprints in place of names in a resource of our own.
func (s *Server) known(r *Resource) {
	var all []string
	for _, name := range r.Identities {
		all = append(all, s.options.Guard.Resolve(name)...)
	}
	r.Identities = all
}

// resolved is the resource with fingerprints in place of names.
func (s *Server) resolved(r Resource) Resource {
	if s.options.Guard != nil && len(r.Identities) > 0 {
		r = r.Clone()
		s.known(&r)
	}
	return r
}

// Fingerprint is what the journal calls the owner of tokens with that name: their fingerprints
// with "|" between them. Without a token of that name it is the name itself.
func (s *Server) Fingerprint(owner string) string {
	return strings.Join(s.options.Guard.Resolve(owner), "|")
}

// Owners describes who has a token, where tokens are demanded.
func (s *Server) Owners() []guard.Owner { return s.options.Guard.Owners() }

// OAuth is the authorization server of the server; nil if it has none.
func (s *Server) OAuth() *oauth.Server { return s.options.OAuth }

// authorize hands a request to the authorization server. The journal says that it came and how it was
// answered, but nothing of the secrets in it.
func (s *Server) authorize(as *oauth.Server, w http.ResponseWriter, r *http.Request) {
	came := &journal.Entry{
		Direction: journal.In, Kind: journal.HTTPRequest, Transport: hook.HTTP, Connection: r.RemoteAddr,
		HTTP: &journal.HTTP{Method: r.Method, Path: r.URL.Path},
	}
	s.journal.Note(came, nil)
	// what has no deadlines is no network connection
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(httpserve.HeadTimeout))
	told := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	as.ServeHTTP(told, r)
	answer := came.Following(journal.HTTPAnswer)
	answer.Direction, answer.HTTP = journal.Out, &journal.HTTP{Status: told.status}
	s.journal.Note(answer, nil)
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader sends the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
