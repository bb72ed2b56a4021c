package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Declaring asks for a target of which it is known what it declares.
func Declaring(f *recording.Facts) *recording.Skipped {
	if len(f.Declared) > 0 {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeNotExercised, Reason: "it is not known what the target declares"}
}
