package config

// foreign is a field of another tool.
type foreign struct {
	// names are our fields that may be meant, the likeliest first.
	names []string
	// note says more, where a name alone does not help.
	note string
}

const fromArgoCD = `Argo CD's own form is written anew by "krm-fields convert --from argocd --to ignorefields"`

// foreignFields are fields of Argo CD, Flux, kustomize, kpt and Kubernetes that have quite another
// name here.
var foreignFields = map[string]foreign{
	// Objects.
	"target":             {names: []string{"selectors"}},
	"targets":            {names: []string{"selectors", "target"}},
	"select":             {names: []string{"selectors", "target"}},
	"match":              {names: []string{"selectors", "target"}},
	"resources":          {names: []string{"selectors", "target"}},
	"resource":           {names: []string{"kind", "object", "selectors", "target"}},
	"selector":           {names: []string{"selectors", "target", "labelSelector"}},
	"matchLabels":        {names: []string{"labels"}},
	"matchAnnotations":   {names: []string{"annotations"}},
	"annotationSelector": {names: []string{"annotations"}, note: "annotations is a map"},
	"matchExpressions":   {names: []string{"labelSelector"}, note: `it is a string such as "tier in (web,api),!canary"`},
	"reject":             {names: []string{"exclude"}},
	"when":               {names: []string{"where"}},
	"if":                 {names: []string{"where"}},
	// Fields of objects.
	"ignoreDifferences": {names: []string{"ignoreFields"}, note: fromArgoCD},
	"ignore":            {names: []string{"ignoreFields"}},
	"rules":             {names: []string{"ignoreFields"}},
	"paths":             {names: []string{"jsonPointers", "path"}},
	"path":              {names: []string{"jsonPointers"}},
	"pointers":          {names: []string{"jsonPointers"}},
	"fields":            {names: []string{"jsonPaths", "path"}},
	"fieldPaths":        {names: []string{"jsonPaths", "path"}},
	"fieldPath":         {names: []string{"jsonPaths", "path"}},
	"fieldSpecs":        {names: []string{"jsonPaths", "path"}},
	"jq":                {names: []string{"jqPathExpressions", "jqFilter"}},
	"expressions":       {names: []string{"jqPathExpressions"}},
	"syncOptions":       {note: "action: TakeLive is what RespectIgnoreDifferences=true does"},
	"fieldSelector":     {names: []string{"name"}, note: "name and namespace take globs"},
	"patches":           {note: "patches are those of the kind ApplyPatches"},
	"managedFieldsManagers": {
		note: "there is no rule for all fields of a manager; name the fields in jsonPointers, jsonPaths or jqPathExpressions",
	},
	// What is done.
	"filter":                {names: []string{"jqFilter", "where"}},
	"patch":                 {names: []string{"mergePatch", "operations", "patches"}},
	"op":                    {names: []string{"operation"}},
	"ops":                   {names: []string{"operations"}},
	"patchesJson6902":       {names: []string{"patches"}},
	"patchesStrategicMerge": {names: []string{"patches"}, note: "a patch is a list of operations; mergeShallow lays a map over a map"},
	"replacements": {names: []string{"patches"},
		note: "a value can be computed from the object with ${resource…}, and from another one with ${object(…)}"},
	"from":     {note: "there is no move or copy; add with ${resource…} as the value, and remove"},
	"type":     {names: []string{"op", "operation"}},
	"manifest": {names: []string{"object"}},
	"spec":     {note: "the fields stand beside metadata, not in a spec"},
	"data":     {note: "data is that of a ConfigMap; the fields stand beside metadata"},
	"body":     {names: []string{"object"}},
	"params":   {names: []string{"parameters"}},
	"vars":     {names: []string{"parameters"}},
}
