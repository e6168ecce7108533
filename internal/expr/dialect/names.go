package dialect

// JSON Pointer and jq are what most programs take, so the other dialects are translated into them.
var (
	JSONPointer = Names{Name: "jsonPointer", Title: "JSON Pointer", Noun: "JSON Pointer", Failure: "JSON Pointer error"}
	JQ          = Names{Name: "jq", Title: "jq", Noun: "JQ expression", Failure: "JQ expression runtime error"}
)
