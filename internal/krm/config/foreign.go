package config

import (
	"fmt"
	"slices"
	"strings"
)

// foreign is a field of another tool.
type foreign struct {
	// names are our fields that may be meant, the likeliest first, with commas between them.
	names string
	// note says more, where a name alone does not help.
	note string
}

const (
	fromArgoCD  = `"krm-fields convert --from argocd --to ignorefields" converts Argo CD's form`
	fromFlux    = `"krm-fields convert --from flux --to ignorefields" converts Flux's form`
	fromOCM     = `"krm-fields convert --from ocm --to ignorefields" converts OCM's form`
	fromKapp    = `"krm-fields convert --from kapp --to ignorefields" converts kapp's form`
	fromFleet   = `"krm-fields convert --from fleet --to ignorefields" converts Fleet's form`
	fromSveltos = `"krm-fields convert --from sveltos --to ignorefields" converts Sveltos' form`
	asTakeLive  = "action: TakeLive does what RespectIgnoreDifferences=true does in Argo CD"
	ofKustomize = "it belongs in kustomization.yaml, which kustomize reads itself"
)

// foreignKinds are kinds of other tools, with what to do with one that is given as a
// functionConfig.
var foreignKinds = map[string]string{
	"Application": fromArgoCD, "ApplicationSet": fromArgoCD, "AppProject": fromArgoCD, "ArgoCD": fromArgoCD,
	"ManifestWork": fromOCM, "ManifestWorkReplicaSet": fromOCM, "HelmRelease": fromFlux, "Kustomization": fromFlux,
	"Config": fromKapp, "Bundle": fromFleet, "GitRepo": fromFleet, "ClusterProfile": fromSveltos, "Profile": fromSveltos,
}

// ForeignKind says what to do with an object of another tool that is given as a functionConfig; ""
// if its kind is not known.
func ForeignKind(kind string) string {
	if hint := foreignKinds[kind]; hint != "" {
		return "; " + hint
	}
	return ""
}

// strategicMerge is the note for a patch in the form of an object, which has the objectFields.
const strategicMerge = "a strategic merge patch is written as a target and operations; mergeShallow merges a map into a map"

var objectFields = []string{"apiVersion", "kind", "metadata", "spec", "data"}

// foreignFields are fields of Argo CD, Flux, kustomize, kpt and Kubernetes that have quite another
// name here.
var foreignFields = map[string]foreign{
	// Objects.
	"target":           {names: "selectors"},
	"targets":          {names: "selectors,target"},
	"select":           {names: "selectors,target"},
	"match":            {names: "selectors,target"},
	"resources":        {names: "selectors,target"},
	"resource":         {names: "kind,object,selectors,target"},
	"selector":         {names: "selectors,target,labelSelector"},
	"matchLabels":      {names: "labels"},
	"matchAnnotations": {names: "annotations"},
	"matchExpressions": {names: "labelSelector", note: `it is a string such as "tier in (web,api),!canary"`},
	"reject":           {names: "exclude"},
	"when":             {names: "where"},
	"if":               {names: "where"},
	// Fields of objects.
	"ignoreDifferences":        {names: "ignoreFields", note: fromArgoCD},
	"ignore":                   {names: "ignoreFields"},
	"rules":                    {names: "ignoreFields"},
	"paths":                    {names: "jsonPointers,path"},
	"path":                     {names: "jsonPointers"},
	"fields":                   {names: "jsonPaths,path"},
	"fieldPaths":               {names: "jsonPaths,path"},
	"fieldPath":                {names: "jsonPaths,path"},
	"fieldSpecs":               {names: "jsonPaths,path"},
	"jq":                       {names: "jqPathExpressions,jqFilter"},
	"expressions":              {names: "jqPathExpressions"},
	"syncOptions":              {note: asTakeLive},
	"fieldSelector":            {names: "name", note: "name and namespace accept globs such as web-*"},
	"patches":                  {note: "patches belong to the kind ApplyPatches"},
	"RespectIgnoreDifferences": {note: asTakeLive},
	"driftDetection":           {names: "ignoreFields", note: fromFlux},
	"resourceIdentifier":       {names: "selectors", note: fromOCM},
	"manifestConfigs":          {names: "ignoreFields", note: fromOCM},
	"updateStrategy":           {note: fromOCM},
	"rebaseRules":              {names: "ignoreFields", note: fromKapp},
	"resourceMatchers":         {names: "selectors", note: fromKapp},
	"comparePatches":           {names: "ignoreFields", note: fromFleet},
	"driftExclusions":          {names: "ignoreFields", note: fromSveltos},
	// What is done.
	"filter":                {names: "jqFilter,where"},
	"patch":                 {names: "mergePatch,operations,patches"},
	"op":                    {names: "operation"},
	"ops":                   {names: "operations"},
	"patchesJson6902":       {names: "patches"},
	"patchesStrategicMerge": {names: "patches", note: "a patch is a list of operations; mergeShallow merges a map into a map"},
	"replacements": {names: "patches",
		note: "a value can be computed from the object with ${resource…}, and from another one with ${object(…)}"},
	"from":     {note: "there is no move or copy; use add with ${resource…} as the value, and remove"},
	"type":     {names: "op,operation"},
	"manifest": {names: "object"},
	"metadata": {note: "name and namespace are fields of their own"},
	"options":  {note: "patches need no options: they may change the name and the kind"},
	// Fields of a kustomization.
	"commonLabels":       {note: ofKustomize},
	"commonAnnotations":  {note: ofKustomize},
	"images":             {note: ofKustomize},
	"replicas":           {note: ofKustomize},
	"namePrefix":         {note: ofKustomize},
	"nameSuffix":         {note: ofKustomize},
	"configMapGenerator": {note: ofKustomize},
	"secretGenerator":    {note: ofKustomize},
	"generators":         {note: ofKustomize},
	"transformers":       {note: ofKustomize},
	"components":         {note: ofKustomize},
	"spec":               {note: "the fields belong at the top level, not under spec"},
	"data":               {note: "only a ConfigMap has data; the fields belong at the top level"},
	"body":               {names: "object"},
	"params":             {names: "parameters"},
	"vars":               {names: "parameters"},
}

// foreignValues are values of other tools, in lower case, with our values that may be meant, the
// likeliest first.
var foreignValues = map[string][]string{
	"delete":              {"remove", "Delete", "Strip"},
	"remove":              {"remove", "Delete", "Strip"},
	"ignore":              {"Ignore", "Strip"},
	"keep":                {"TakeLive"},
	"always":              {"OnSpokePresent", "Always"},
	"set":                 {"add"},
	"update":              {"replace", "CreateOrUpdate"},
	"upsert":              {"ensure", "CreateOrUpdate"},
	"apply":               {"CreateOrUpdate"},
	"append":              {"add"},
	"insert":              {"add"},
	"merge":               {"mergeShallow", "MergePatch"},
	"patch":               {"mergeShallow", "MergePatch"},
	"strategicmergepatch": {"MergePatch"},
	"deletecascade":       {"Delete"},
	"fail":                {"Error"},
	"none":                {"Never", "Ignore"},
	"move":                {"add"},
	"copy":                {"add"},
	"test":                {"add"},
}

// opNotes say how ApplyPatches does what ops of JSON Patch do that it does not have.
var opNotes = map[string]string{
	"move": "use add with ${resource…} as the value, and remove",
	"copy": "use add with ${resource…} as the value",
	"test": "a condition is the where of the target",
}

// foreignHint says which value of the enum may be meant by one of another tool; "" if it is none of
// those.
func foreignHint(text string, enum []string) string {
	for _, candidate := range foreignValues[strings.ToLower(text)] {
		switch {
		case !slices.Contains(enum, candidate):
		case opNotes[text] != "":
			return "; " + opNotes[text]
		default:
			return fmt.Sprintf("; did you mean %q?", candidate)
		}
	}
	return ""
}
