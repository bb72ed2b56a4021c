package telling

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, name := range strings.Fields(`
		token TOKEN --token --api-key -api_key apiKey X-API-Key AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID
		AWSAccessKeyId GITHUB_TOKEN GITHUB_PERSONAL_ACCESS_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN
		accessToken refresh_token id_token SYSTEM_ACCESSTOKEN DB_PASS MYSQL_PWD PGPASSWORD passwd
		passphrase client_secret clientSecret client_assertion code_verifier key --key OPENAI_KEY
		SIGNING_KEY private-key ssh_private_key GITHUB_PAT sig X-Amz-Signature X-Amz-Credential auth
		proxy-auth Authorization authorisation basicAuth jwt SESSION_COOKIE NPM_CONFIG__AUTH bearer creds
		SERVICE_CREDENTIALS`) {
		if !Name(name) {
			t.Errorf("%s is not telling", name)
		}
	}
	for _, name := range strings.Fields(`
		- -- a HOME PATH PWD OLDPWD keys KEYBOARD authority monkey author GIT_AUTHOR_NAME authors
		SSH_AUTH_SOCK TOKENIZERS_PARALLELISM tokenizer progressToken token_endpoint authorization_servers
		token_endpoint_auth_methods_supported token_type AUTH_METHOD --token-file TOKEN_URL --token-env
		SECRET_PATH SECRET_NAME COOKIE_NAME SIGNATURE_ALGORITHM max_tokens maxTokens --max-tokens X-RateLimit-Remaining-Tokens tokenCount public_key public-key PRIMARY_KEY --sort-key path pattern compass design signal`) {
		if Name(name) {
			t.Errorf("%s is telling", name)
		}
	}
}

func TestHeader(t *testing.T) {
	for _, name := range strings.Fields(`
		Authorization Proxy-Authorization X-Auth-Token Cookie Set-Cookie X-Cookie DPoP X-Api-Key
		Ocp-Apim-Subscription-Key X-Functions-Key X-Goog-Iap-Jwt-Assertion X-Hub-Signature-256
		X-Csrf-Token Private-Token`) {
		if !Header(name) {
			t.Errorf("%s is not telling", name)
		}
	}
	for _, name := range strings.Fields(`
		WWW-Authenticate Proxy-Authenticate Sec-WebSocket-Key Access-Control-Allow-Credentials
		Idempotency-Key :authority Content-Type Mcp-Session-Id Mcp-Protocol-Version Last-Event-ID Origin`) {
		if Header(name) {
			t.Errorf("%s is telling", name)
		}
	}
}
