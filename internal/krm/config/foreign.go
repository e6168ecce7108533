package config

// foreign is a field of another tool.
type foreign struct {
	// names are our fields that may be meant, the likeliest first, with commas between them.
	names string
	// note says more, where a name alone does not help.
	note string
}

const fromArgoCD = `Argo CD's own form is written anew by "krm-fields convert --from argocd --to ignorefields"`

// foreignFields are fields of Argo CD, Flux, kustomize, kpt and Kubernetes that have quite another
// name here.
var foreignFields = map[string]foreign{
	// Objects.
	"target":             {names: "selectors"},
	"targets":            {names: "selectors,target"},
	"select":             {names: "selectors,target"},
	"match":              {names: "selectors,target"},
	"resources":          {names: "selectors,target"},
	"resource":           {names: "kind,object,selectors,target"},
	"selector":           {names: "selectors,target,labelSelector"},
	"matchLabels":        {names: "labels"},
	"matchAnnotations":   {names: "annotations"},
	"annotationSelector": {names: "annotations", note: "annotations is a map"},
	"matchExpressions":   {names: "labelSelector", note: `it is a string such as "tier in (web,api),!canary"`},
	"reject":             {names: "exclude"},
	"when":               {names: "where"},
	"if":                 {names: "where"},
	// Fields of objects.
	"ignoreDifferences": {names: "ignoreFields", note: fromArgoCD},
	"ignore":            {names: "ignoreFields"},
	"rules":             {names: "ignoreFields"},
	"paths":             {names: "jsonPointers,path"},
	"path":              {names: "jsonPointers"},
	"pointers":          {names: "jsonPointers"},
	"fields":            {names: "jsonPaths,path"},
	"fieldPaths":        {names: "jsonPaths,path"},
	"fieldPath":         {names: "jsonPaths,path"},
	"fieldSpecs":        {names: "jsonPaths,path"},
	"jq":                {names: "jqPathExpressions,jqFilter"},
	"expressions":       {names: "jqPathExpressions"},
	"syncOptions":       {note: "action: TakeLive is what RespectIgnoreDifferences=true does"},
	"fieldSelector":     {names: "name", note: "name and namespace take globs"},
	"patches":           {note: "patches are those of the kind ApplyPatches"},
	"managedFieldsManagers": {
		note: "there is no rule for all fields of a manager; name the fields in jsonPointers, jsonPaths or jqPathExpressions",
	},
	// What is done.
	"filter":                {names: "jqFilter,where"},
	"patch":                 {names: "mergePatch,operations,patches"},
	"op":                    {names: "operation"},
	"ops":                   {names: "operations"},
	"patchesJson6902":       {names: "patches"},
	"patchesStrategicMerge": {names: "patches", note: "a patch is a list of operations; mergeShallow lays a map over a map"},
	"replacements": {names: "patches",
		note: "a value can be computed from the object with ${resource…}, and from another one with ${object(…)}"},
	"from":     {note: "there is no move or copy; add with ${resource…} as the value, and remove"},
	"type":     {names: "op,operation"},
	"manifest": {names: "object"},
	"spec":     {note: "the fields stand beside metadata, not in a spec"},
	"data":     {note: "data is that of a ConfigMap; the fields stand beside metadata"},
	"body":     {names: "object"},
	"params":   {names: "parameters"},
	"vars":     {names: "parameters"},
}
