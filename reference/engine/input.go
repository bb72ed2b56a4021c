package engine

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const (
	stateTTL       = 10 * time.Minute
	stateSignature = 32
)

// state is what a request state holds: for which read it was made, until when it is good, which round it
// asks for, and what the rounds before have yielded.
type state struct {
	Read    []byte            `json:"r"` // digest of the URI
	Expires int64             `json:"e"` // Unix time in seconds
	Round   int               `json:"n,omitempty"`
	Values  map[string]string `json:"v,omitempty"`
}

func digest(uri string) []byte {
	sum := sha256.Sum256([]byte("resources/read\x00" + uri))
	return sum[:]
}

// withInput makes the text of a resource that has to ask first. It
// returns a reply instead if the answers are still to come, or never can.
func (q serving) withInput(en *entry) (text string, r *hook.Reply) {
	if !q.Modern {
		return substitute(*en.res.Text, en.res.Input.Answers()), nil
	}
	given := q.params.decode()
	st, r := q.stateOf(given, en)
	if r != nil {
		return "", r
	}
	in := en.res.Input
	for range st.Round {
		if in = in.Then; in == nil {
			return "", badParams("the request state is not valid here") // the resource has changed
		}
	}
	values, r := answers(given, in)
	if r != nil {
		return "", r
	}
	if values != nil {
		maps.Copy(st.Values, values)
		st.Round, in = st.Round+1, in.Then
	}
	if in != nil {
		return "", q.ask(in, st)
	}
	return substitute(*en.res.Text, st.Values), nil
}

// stateOf is the state that the client brings, or that of a first request.
func (e *Engine) stateOf(params hook.Object, en *entry) (st state, r *hook.Reply) {
	st = state{Read: digest(en.res.URI)}
	if v, there := params["requestState"]; there {
		token, ok := v.(string)
		if !ok || !e.readState(token, &st) {
			return st, badParams("the request state is not valid here")
		}
	}
	if st.Values == nil {
		st.Values = map[string]string{}
	}
	return st, nil
}

// answers reads what the client brings for a round: nil values mean that it brings nothing
// yet, or not all.
func answers(params hook.Object, in *world.Input) (map[string]string, *hook.Reply) {
	v, there := params["inputResponses"]
	if !there {
		return nil, nil
	}
	responses, ok := v.(hook.Object)
	if !ok {
		return nil, badParams(`"inputResponses" must be an object`)
	}
	_, hasState := params["requestState"]
	v, there = responses[in.Key]
	if !there || !hasState {
		return nil, nil
	}
	response, ok := v.(hook.Object)
	if !ok {
		return nil, badParams("an input response must be an object")
	}
	switch in.Asks() {
	case world.InputSampling:
		return readSample(response, in)
	case world.InputRoots:
		return readRoots(response, in)
	}
	return readAnswers(response, in)
}

// readSample reads what a model said: its text.
func readSample(response hook.Object, in *world.Input) (map[string]string, *hook.Reply) {
	blocks, several := response["content"].([]any)
	if !several {
		blocks = []any{response["content"]}
	}
	var said strings.Builder
	for _, block := range blocks {
		content, ok := block.(hook.Object)
		text, isText := content["text"].(string)
		if !ok || !isText {
			return nil, badParams("the answer of the model must be a text")
		}
		said.WriteString(text)
	}
	return map[string]string{in.Key: said.String()}, nil
}

// readRoots reads the roots of a client: their URIs.
func readRoots(response hook.Object, in *world.Input) (map[string]string, *hook.Reply) {
	roots, ok := response["roots"].([]any)
	if !ok {
		return nil, badParams(`"roots" must be an array`)
	}
	uris := make([]string, len(roots))
	for i, root := range roots {
		o, _ := root.(hook.Object)
		if uris[i], ok = o["uri"].(string); !ok {
			return nil, badParams("a root must have a uri")
		}
	}
	return map[string]string{in.Key: strings.Join(uris, ", ")}, nil
}

func readAnswers(response hook.Object, in *world.Input) (map[string]string, *hook.Reply) {
	switch response["action"] {
	case "accept":
	case "decline", "cancel":
		return nil, badParams("the input that this resource needs was refused")
	default:
		return nil, badParams(`"action" must be accept, decline or cancel`)
	}
	if in.Asks() == world.InputURL {
		return map[string]string{}, nil // what the user did there comes by another way
	}
	v, there := response["content"]
	if !there {
		return nil, nil
	}
	content, ok := v.(hook.Object)
	if !ok {
		return nil, badParams(`"content" must be an object`)
	}
	values := map[string]string{}
	for _, f := range in.Fields {
		v, there := content[f.Name]
		if !there {
			return nil, nil
		}
		value, ok := v.(string)
		if !ok {
			return nil, badParams("the answers must be strings")
		}
		values[f.Name] = value
	}
	return values, nil
}

// readState reads a token into the state of a read, which it has to be one of.
func (e *Engine) readState(token string, st *state) bool {
	read := st.Read
	if json.Unmarshal(e.unseal("state", token, stateSignature), st) != nil {
		return false
	}
	return string(st.Read) == string(read) && e.config.Now().Unix() < st.Expires
}

// ask is the reply that asks, by way of a client that has declared
// that it can.
func (q serving) ask(in *world.Input, st state) *hook.Reply {
	capabilities, _ := q.Meta(metaCapabilities).(hook.Object)
	if required := lacking(capabilities, in.Asks()); required != nil {
		r := failWith(codeMissingCapability, "Missing required client capability",
			hook.Object{"requiredCapabilities": required})
		r.Status = http.StatusBadRequest
		return r
	}
	st.Expires = q.config.Now().Add(stateTTL).Unix()
	payload, err := json.Marshal(st)
	if err != nil {
		return fail(codeInternal, "Internal error: "+err.Error())
	}
	return reply(hook.Object{
		"resultType":    "input_required",
		"inputRequests": hook.Object{in.Key: inputRequest(in)},
		"requestState":  q.seal("state", payload, stateSignature),
	})
}

// lacking is the capability that a client lacks for an input; nil if it has it.
func lacking(capabilities hook.Object, kind string) hook.Object {
	switch kind {
	case world.InputSampling, world.InputRoots:
		if _, ok := capabilities[kind].(hook.Object); !ok {
			return hook.Object{kind: hook.Object{}}
		}
		return nil
	case world.InputURL:
		if hook.ObjectAt(capabilities, "elicitation", "url") == nil {
			return hook.Object{"elicitation": hook.Object{"url": hook.Object{}}}
		}
		return nil
	}
	if !canElicit(capabilities) {
		return hook.Object{"elicitation": hook.Object{"form": hook.Object{}}}
	}
	return nil
}

// maxTokens is how much a model may say.
const maxTokens = 1000

// inputRequest is the request that an input makes.
func inputRequest(in *world.Input) hook.Object {
	switch in.Asks() {
	case world.InputSampling:
		return hook.Object{"method": "sampling/createMessage", "params": hook.Object{
			"messages": []any{hook.Object{"role": "user", "content": hook.Object{"type": "text",
				"text": in.Message}}},
			"maxTokens": hook.Number(maxTokens),
		}}
	case world.InputRoots:
		return hook.Object{"method": "roots/list"}
	case world.InputURL:
		return hook.Object{"method": "elicitation/create", "params": hook.Object{"mode": "url",
			"message": in.Message, "url": in.URL}}
	}
	return form(in)
}

// canElicit reports whether the client can show forms. An empty elicitation
// capability means forms.
func canElicit(capabilities hook.Object) bool {
	elicitation, ok := capabilities["elicitation"].(hook.Object)
	if !ok {
		return false
	}
	_, hasForm := elicitation["form"]
	return hasForm || len(elicitation) == 0
}

func form(in *world.Input) hook.Object {
	properties := hook.Object{}
	required := []any{}
	for _, f := range in.Fields {
		property := hook.Object{"type": "string"}
		optional(property, "title", f.Title)
		optional(property, "description", f.Description)
		properties[f.Name] = property
		required = append(required, f.Name)
	}
	return hook.Object{
		"method": "elicitation/create",
		"params": hook.Object{
			"mode":    "form",
			"message": in.Message,
			"requestedSchema": hook.Object{
				"type": "object", "properties": properties, "required": required,
			},
		},
	}
}
