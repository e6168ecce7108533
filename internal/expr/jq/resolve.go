package jq

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/itchyny/gojq"
)

// resolver turns the paths that gojq yields, which have negative and broken indices and slices,
// into paths of plain keys and indices to what is there.
type resolver struct {
	ctx   context.Context
	paths []any
	here  []any
}

// resolve returns the concrete paths in value. A place that is missing or null is left out. Errors
// are *failure, for a path that leads into a string or a number, and those of ctx, which is asked
// before each element.
func resolve(ctx context.Context, value any, rawPaths []any) ([]any, error) {
	r := resolver{ctx: ctx}
	for _, raw := range rawPaths {
		if err := r.follow(value, plain(raw).([]any)); err != nil {
			return nil, err
		}
	}
	return r.paths, nil
}

func (r *resolver) follow(value any, steps []any) error {
	select {
	case <-r.ctx.Done():
		return r.ctx.Err()
	default:
	}
	if value == nil {
		return nil
	}
	if len(steps) == 0 {
		r.paths = append(r.paths, slices.Clone(r.here))
		return nil
	}
	if key, isKey := steps[0].(string); isKey {
		object, ok := value.(map[string]any)
		if !ok {
			return &failure{cause: "expected an object but got " + typeName(value)}
		}
		return r.into(key, object[key], steps[1:])
	}
	list, ok := value.([]any)
	if _, isString := value.(string); isString {
		return &failure{cause: intoString, kind: stringFailure}
	}
	if !ok {
		return &failure{cause: "expected an array but got " + typeName(value)}
	}
	return r.followList(list, 0, steps)
}

func (r *resolver) into(key, value any, steps []any) error {
	r.here = append(r.here, key)
	err := r.follow(value, steps)
	r.here = r.here[:len(r.here)-1]
	return err
}

// followList goes on from a part of a list, which begins at the index offset: to all of its
// elements where the path ends there, else to what the next step takes of them.
func (r *resolver) followList(list []any, offset int, steps []any) error {
	if len(steps) == 0 {
		for i, element := range list {
			if err := r.into(offset+i, element, nil); err != nil {
				return err
			}
		}
		return nil
	}
	switch step := steps[0].(type) {
	case map[string]any:
		start, end := bounds(step, len(list))
		return r.followList(list[start:end], offset+start, steps[1:])
	case int, float64, *big.Int:
		i, _ := gojq.ToInt(step)
		if i < 0 {
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return nil
		}
		return r.into(offset+i, list[i], steps[1:])
	}
	return &failure{cause: "expected a number for indexing an array but got " + typeName(steps[0])}
}

// bounds returns the part of a list of length elements that a slice means, with the rounding that
// gojq has.
func bounds(slice map[string]any, length int) (start, end int) {
	start, end = 0, length
	if slice["start"] != nil {
		start = clamp(round(slice["start"], math.Floor), 0, length)
	}
	if slice["end"] != nil {
		end = round(slice["end"], math.Ceil)
		if f, ok := slice["end"].(float64); ok && (-1 < f && f < 0 || math.IsNaN(f)) {
			end = length
		}
		end = clamp(end, start, length)
	}
	return start, end
}

func round(v any, direction func(float64) float64) int {
	if f, ok := v.(float64); ok {
		v = direction(f)
	}
	i, _ := gojq.ToInt(v)
	return i
}

func clamp(i, low, length int) int {
	if i < 0 {
		i += length
	}
	return min(max(i, low), length)
}
