package schema

import (
	"fmt"
	"maps"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A CRDError reports an invalid CustomResourceDefinition.
type CRDError struct {
	// Name is that of the definition.
	Name string
	// Path is the field, dotted.
	Path string
	Want string
}

func (e *CRDError) Error() string {
	return fmt.Sprintf("CustomResourceDefinition %s: %s must be %s", e.Name, e.Path, e.Want)
}

// IsCRD tells whether objects of that kind are definitions that AddCRD reads.
func IsCRD(gvk GVK) bool {
	return gvk == GVK{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
}

// Define adds the kind that an object defines, and tells whether it is a definition.
func (s *Schemas) Define(root *tree.Node) (isDefinition bool, err error) {
	if !IsCRD(ParseGVK(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind"))) {
		return false, nil
	}
	definition, _ := tree.Value(root).(map[string]any)
	return true, s.AddCRD(definition)
}

// AddCRD adds the kind of a CustomResourceDefinition, in all served versions. The object has the
// types of encoding/json. An earlier schema of the kind is replaced.
func (s *Schemas) AddCRD(crd map[string]any) error {
	metadata, _ := crd["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	group, ok := spec["group"].(string)
	if !ok {
		return &CRDError{name, "spec.group", "a string"}
	}
	kind, ok := names["kind"].(string)
	if !ok {
		return &CRDError{name, "spec.names.kind", "a string"}
	}
	versions, ok := spec["versions"].([]any)
	if !ok {
		return &CRDError{name, "spec.versions", "a list"}
	}
	conversion, _ := spec["conversion"].(map[string]any)
	var kinds []*Kind
	var served []string
	for i, v := range versions {
		version, ok := v.(map[string]any)
		if !ok {
			return &CRDError{name, fmt.Sprintf("spec.versions[%d]", i), "a map"}
		}
		versionName, ok := version["name"].(string)
		if !ok {
			return &CRDError{name, fmt.Sprintf("spec.versions[%d].name", i), "a string"}
		}
		if version["served"] == false {
			continue
		}
		served = append(served, versionName)
		subresources, _ := version["subresources"].(map[string]any)
		_, status := subresources["status"]
		kinds = append(kinds, &Kind{
			GVK: GVK{Group: group, Version: versionName, Kind: kind}, Type: versionType(version),
			Origin: Given, Source: "CustomResourceDefinition " + name, StatusSubresource: status,
			scale: scalePath(subresources), HasWebhook: conversion["strategy"] == "Webhook",
		})
	}
	for _, kind := range kinds {
		kind.Versions = served
		s.add(kind)
	}
	return nil
}

func (s *Schemas) add(kind *Kind) {
	if s.given == nil {
		s.given = map[GVK]*Kind{}
	}
	s.given[kind.GVK] = kind
}

// scalePath returns the field of replicas that the scale subresource names: a JSONPath of names
// under .spec.
func scalePath(subresources map[string]any) location.Location {
	scale, _ := subresources["scale"].(map[string]any)
	path, _ := scale["specReplicasPath"].(string)
	l, err := location.ParseField(path)
	if err != nil {
		return nil
	}
	return l
}

// versionType is the type of the objects of a version of a CustomResourceDefinition.
func versionType(version map[string]any) *Type {
	schema, _ := version["schema"].(map[string]any)
	root, ok := schema["openAPIV3Schema"].(map[string]any)
	if !ok {
		return assumed()
	}
	root = maps.Clone(root)
	root["type"], root["x-kubernetes-embedded-resource"] = "object", true // its metadata is Kubernetes' own
	c := Converter{metadata: table().Metadata}
	return c.Convert(root)
}
