package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// signingKey derives the key for cursors and request states from the name of
// the world. The key is no secret and guards none: it makes altered tokens
// recognisable, and being the same in every process that serves the world, it
// lets a token be used on another connection (a new process, on stdio).
func signingKey(worldName string) []byte {
	sum := sha256.Sum256([]byte("mcpcheck reference server\x00" + worldName))
	return sum[:]
}

// cursor makes the cursor that continues after a position of a list.
func (e *Engine) cursor(list string, after uint64) string {
	return e.seal("cursor "+list, binary.AppendUvarint(nil, after), cursorSignature)
}

// position reads a cursor.
func (e *Engine) position(list, cursor string) (after uint64, ok bool) {
	payload := e.unseal("cursor "+list, cursor, cursorSignature)
	after, n := binary.Uvarint(payload)
	return after, n > 0 && n == len(payload)
}

const cursorSignature = 8

// What tokens begin and end with: characters that do not survive when a client percent-encodes or
// decodes a token, or takes it for Base64 and writes it in the other alphabet or without padding.
const (
	tokenBegin = "+/_%3D"
	tokenEnd   = "=="
)

// seal makes a token: the payload and a signature of n bytes, in Base64.
func (e *Engine) seal(purpose string, payload []byte, n int) string {
	token := append(append([]byte{}, payload...), e.sign(purpose, payload)[:n]...)
	return tokenBegin + base64.RawStdEncoding.EncodeToString(token) + tokenEnd
}

// unseal takes the payload out of a token; nil if it is not one of ours.
func (e *Engine) unseal(purpose, token string, n int) []byte {
	inner, begins := strings.CutPrefix(token, tokenBegin)
	inner, ends := strings.CutSuffix(inner, tokenEnd)
	raw, err := base64.RawStdEncoding.Strict().DecodeString(inner)
	if !begins || !ends || err != nil || len(raw) < n {
		return nil
	}
	payload, signature := raw[:len(raw)-n], raw[len(raw)-n:]
	if !hmac.Equal(signature, e.sign(purpose, payload)[:n]) {
		return nil
	}
	return payload
}

func (e *Engine) sign(purpose string, payload []byte) []byte {
	mac := hmac.New(sha256.New, e.key)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write(payload)
	return mac.Sum(nil)
}
