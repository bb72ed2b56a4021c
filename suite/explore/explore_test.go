package explore

import (
	"reflect"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// TestTools: tools are guessed by name; what they require is said, and those that say
// that they only read are left out.
func TestTools(t *testing.T) {
	got := tools(gjson.Parse(`{"tools":[
		{"name":"update_note","inputSchema":{"type":"object","required":["id","text",7]}},
		{"name":"set_view","annotations":{"readOnlyHint":true}},
		{"name":"echo"},{"name":5},{"name":"touch"}]}`))
	want := []target.FoundTool{{Name: "update_note", Required: []string{"id", "text"}}, {Name: "touch"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestChanges(t *testing.T) {
	for name, want := range map[string]bool{
		"update_note": true, "toggle-subscriber-updates": true, "setValue": true, "addResource": true,
		"TOUCH":          true,
		"trigger.change": true, "notes/write": true, "createFile2": true,
		"get_settings": false, "list_assets": false, "address": false, "reset": false, "echo": false,
		"": false, "putty": false,
	} {
		if got := changes(name); got != want {
			t.Errorf("changes(%q) = %t", name, got)
		}
	}
}
