package engine

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const (
	stateTTL       = 10 * time.Minute
	stateSignature = 32
)

// state is what a request state holds: for which read it was made and until
// when it is good.
type state struct {
	Read    []byte `json:"r"` // digest of the URI
	Expires int64  `json:"e"` // Unix time in seconds
}

func digest(uri string) []byte {
	sum := sha256.Sum256([]byte("resources/read\x00" + uri))
	return sum[:]
}

// withInput makes the text of a resource that has to ask the user first. It
// returns a reply instead if the answers are still to come, or never can.
func (e *Engine) withInput(c *hook.Call, params *arguments, en *entry) (text string, r *hook.Reply) {
	in := en.res.Input
	if !hook.Modern(c.Revision) {
		values := map[string]string{}
		for _, f := range in.Fields {
			values[f.Name] = f.Default
		}
		return substitute(*en.res.Text, values), nil
	}
	given, r := e.answers(params.decode(), en)
	if r != nil {
		return "", r
	}
	if given == nil {
		return "", e.ask(c, en)
	}
	return substitute(*en.res.Text, given), nil
}

// answers reads what the client brings: nil values mean that it brings nothing
// yet, or not all.
func (e *Engine) answers(params hook.Object, en *entry) (map[string]string, *hook.Reply) {
	v, hasState := params["requestState"]
	if hasState {
		token, ok := v.(string)
		if !ok || !e.goodState(token, en.res.URI) {
			return nil, fail(codeInvalidParams, "Invalid params: the request state is not valid here")
		}
	}
	v, there := params["inputResponses"]
	if !there {
		return nil, nil
	}
	responses, ok := v.(hook.Object)
	if !ok {
		return nil, fail(codeInvalidParams, `Invalid params: "inputResponses" must be an object`)
	}
	v, there = responses[en.res.Input.Key]
	if !there || !hasState {
		return nil, nil
	}
	response, ok := v.(hook.Object)
	if !ok {
		return nil, fail(codeInvalidParams, "Invalid params: an input response must be an object")
	}
	return readAnswers(response, en.res.Input)
}

func readAnswers(response hook.Object, in *world.Input) (map[string]string, *hook.Reply) {
	switch response["action"] {
	case "accept":
	case "decline", "cancel":
		return nil, fail(codeInvalidParams, "Invalid params: the input that this resource needs was refused")
	default:
		return nil, fail(codeInvalidParams, `Invalid params: "action" must be accept, decline or cancel`)
	}
	v, there := response["content"]
	if !there {
		return nil, nil
	}
	content, ok := v.(hook.Object)
	if !ok {
		return nil, fail(codeInvalidParams, `Invalid params: "content" must be an object`)
	}
	values := map[string]string{}
	for _, f := range in.Fields {
		v, there := content[f.Name]
		if !there {
			return nil, nil
		}
		value, ok := v.(string)
		if !ok {
			return nil, fail(codeInvalidParams, "Invalid params: the answers must be strings")
		}
		values[f.Name] = value
	}
	return values, nil
}

func (e *Engine) goodState(token, uri string) bool {
	payload, ok := e.unseal("state", token, stateSignature)
	if !ok {
		return false
	}
	var st state
	if json.Unmarshal(payload, &st) != nil {
		return false
	}
	return string(st.Read) == string(digest(uri)) && e.config.Now().Unix() < st.Expires
}

// ask is the reply that asks the user, by way of a client that has declared
// that it can.
func (e *Engine) ask(c *hook.Call, en *entry) *hook.Reply {
	capabilities, _ := c.Meta(metaCapabilities).(hook.Object)
	if !canElicit(capabilities) {
		r := failWith(codeMissingCapability, "Missing required client capability", hook.Object{
			"requiredCapabilities": hook.Object{"elicitation": hook.Object{"form": hook.Object{}}},
		})
		r.Status = http.StatusBadRequest
		return r
	}
	payload, err := json.Marshal(state{Read: digest(en.res.URI), Expires: e.config.Now().Add(stateTTL).Unix()})
	if err != nil {
		return fail(codeInternal, "Internal error: "+err.Error())
	}
	return &hook.Reply{Result: hook.Object{
		"resultType":    "input_required",
		"inputRequests": hook.Object{en.res.Input.Key: form(en.res.Input)},
		"requestState":  e.seal("state", payload, stateSignature),
	}}
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
