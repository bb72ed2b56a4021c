package explore

import "testing"

func TestChanges(t *testing.T) {
	for name, want := range map[string]bool{
		"update_note": true, "toggle-subscriber-updates": true, "setValue": true, "addResource": true, "TOUCH": true,
		"trigger.change": true, "notes/write": true, "createFile2": true,
		"get_settings": false, "list_assets": false, "address": false, "reset": false, "echo": false, "": false, "putty": false,
	} {
		if got := changes(name); got != want {
			t.Errorf("changes(%q) = %t", name, got)
		}
	}
}
