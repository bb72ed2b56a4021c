package sec

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

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
