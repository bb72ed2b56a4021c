// Package sec is the area SEC: the security of transports, and authorisation
// (basic/transports#security-warning and basic/authorization).
package sec

import (
	_ "embed"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// The scenarios of the area.
const (
	Origins       recording.Name = "origins"        // requests with foreign, own and no Origin
	Credentials   recording.Name = "credentials"    // requests without valid credentials, and the resource metadata
	Rights        recording.Name = "rights"         // protected resources asked for by callers without the right
	PublicAddress recording.Name = "public-address" // a local server asked at another address of the machine
	LogSecrets    recording.Name = "log-secrets"    // requests with a made-up token while logging is at its most talkative
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(secChecks, secAuthChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{credentialsScenario, rightsScenario, logSecretsScenario, originsScenario, publicAddressScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepInvalid       recording.Step = "invalid"
	stepAnonymousList recording.Step = "anonymous-list"
	stepMetadata      recording.Step = "metadata"
	stepOwner         recording.Step = "owner"
	stepGet           recording.Step = "get"
	stepLevel         recording.Step = "level"
	stepNoOrigin      recording.Step = "no-origin"
	stepOwnOrigin     recording.Step = "own-origin"
	stepForeignHost   recording.Step = "foreign-host"
	stepRequest       recording.Step = "request"
	stepNotification  recording.Step = "notification"
	stepPublic        recording.Step = "public"
	stepForeign                      = recording.Step(target.RightsForeign)
	stepNone                         = recording.Step(target.RightsNone)
)

// The tags of the area's scripts, which say what they mean.
const (
	tagFrom     recording.Tag = "from"
	tagIdentity recording.Tag = "identity"
	tagGranted  recording.Tag = "granted"
	tagHost     recording.Tag = "host"
	tagAddress  recording.Tag = "address"
)
