package target

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Value is the value of an HTTP header or an environment variable. It is a
// secret unless Public says otherwise: reports mask it.
type Value struct {
	// Value is the value itself. "${NAME}" stands for the environment
	// variable NAME, "$${" for "${".
	Value string `yaml:"value"`
	// Env is the environment variable that holds the value.
	Env string `yaml:"env"`
	// Public says that the value is no secret.
	Public bool `yaml:"public"`
}

// Plain is a value given as it is: nothing in it is replaced.
func Plain(v string) Value { return Value{Value: strings.ReplaceAll(v, "${", "$${")} }

// FromEnv is the value of an environment variable.
func FromEnv(name string) Value { return Value{Env: name} }

// UnmarshalText reads the short form of a value: the value itself.
func (v *Value) UnmarshalText(text []byte) error {
	*v = Value{Value: string(text)}
	return nil
}

// String does not reveal the value, so that it can be printed.
func (v Value) String() string {
	if v.Env != "" {
		return "from " + v.Env
	}
	return "***"
}

// GoString does not reveal the value either.
func (v Value) GoString() string { return v.String() }

// Reveal is the value with everything replaced. It fails if an environment
// variable is not set.
func (v Value) Reveal() (string, error) {
	value, _, err := v.reveal()
	return value, err
}

// reveal also returns the parts that came from the environment.
func (v Value) reveal() (value string, parts []string, err error) {
	if v.Env != "" {
		s, ok := os.LookupEnv(v.Env)
		if !ok {
			return "", nil, fmt.Errorf("the environment variable %s is not set", v.Env)
		}
		return s, nil, nil
	}
	return expand(v.Value, os.LookupEnv)
}

// expand replaces ${NAME} by what lookup says and $${ by ${.
func expand(s string, lookup func(string) (string, bool)) (string, []string, error) {
	var b strings.Builder
	var parts []string
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), parts, nil
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		name, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return "", nil, fmt.Errorf("%q is not closed by }", "${")
		}
		value, ok := lookup(name)
		if !ok {
			return "", nil, fmt.Errorf("the environment variable %s is not set", name)
		}
		b.WriteString(value)
		parts = append(parts, value)
		s = rest
	}
}

// schemes are the words that a credential may follow in a header. Not any word is taken
// for one: what follows it is masked wherever it stands.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "key", "negotiate", "dpop"}

// secrets are the value, what it was put together from, and, if it is of the
// form "Bearer TOKEN", the token, whatever the case of the scheme.
func (v Value) secrets() []string {
	if v.Public {
		return nil
	}
	value, parts, err := v.reveal()
	if err != nil {
		return nil
	}
	found := append([]string{value}, parts...)
	if words := strings.Fields(value); len(words) == 2 && slices.Contains(schemes, strings.ToLower(words[0])) {
		token := words[1]
		found = append(found, token)
		if strings.EqualFold(words[0], "basic") {
			if pair, ok := decoded(token); ok {
				_, password, _ := strings.Cut(pair, ":")
				found = append(found, pair, password)
			}
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

// decoded is what base64 stands for, in either alphabet, padded or not.
func decoded(s string) (string, bool) {
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	data, err := base64.RawStdEncoding.DecodeString(s)
	return string(data), err == nil
}
