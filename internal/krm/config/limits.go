package config

import (
	"github.com/krm-fields/krm-fields/internal/quota"
)

// Limits bound what the operations of a functionConfig may make and do in a run.
type Limits struct {
	ObjectSize Memory `json:"objectSize" default:"16Mi" doc:"How much the operations may add to one object. Each value, map, list and key counts as 100 bytes more than its text."`
	TotalSize  Memory `json:"totalSize" default:"64Mi" doc:"How much they may add to all objects together."`
	Steps      Count  `json:"steps" default:"25M" doc:"How many steps they may take, in addition to 1000 for each object of the list. A unit of CEL cost counts as two steps, reading four members of a map as one, and creating a value as one or more."`
}

// Quota returns the quota of a run over a number of objects.
func (l Limits) Quota(objects int) *quota.Run {
	return quota.NewRun(quota.Limits{ObjectSize: l.ObjectSize.Bytes, TotalSize: l.TotalSize.Bytes, Steps: l.Steps.N}, objects)
}

// Count is a whole number above zero in the notation of Kubernetes' quantities: 25M, or 25000000.
type Count struct {
	N    int64
	text string
}

// String returns the number as written.
func (c Count) String() string { return c.text }

// UnmarshalText sets c from text. Errors are *TextError. Numbers beyond 8Ei are the largest int64.
func (c *Count) UnmarshalText(text []byte) error {
	n, ok := parseBytes(string(text))
	switch {
	case !ok:
		return &TextError{Must: "a whole number such as 25M or 25000000", Text: string(text), Fix: memoryFix(string(text))}
	case n <= 0:
		return &TextError{Must: "more than zero", Text: string(text)}
	}
	c.N, c.text = n, string(text)
	return nil
}
