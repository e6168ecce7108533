package plan

import (
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Server is what the API server says of an apply that it only checks, with admission and
// validation.
type Server struct {
	// Refused is why it refuses the apply; it does so, too, where the plan has a conflict.
	Refused string `json:"refused,omitempty"`
	// Fields are those that it would store differently from the plan.
	Fields []ServerField `json:"fields"`
}

// ServerField is a field that the API server would store differently. A side that lacks it is nil.
type ServerField struct {
	Path   string `json:"path"`
	Plan   *any   `json:"plan,omitempty"`
	Server *any   `json:"server,omitempty"`
}

// ask has the API server check the applies of objects.
func (p *planner) ask(states []*state) error {
	if p.Ask == nil {
		return nil
	}
	var sent []*object.Object
	for _, s := range states {
		if s.pair.isSent {
			sent = append(sent, s.pair.object)
		}
	}
	stored, refused, err := p.Ask(sent)
	for _, s := range states {
		s.stored, s.refused = stored[s.pair.object], refused[s.pair.object]
	}
	return err
}

// compareServer tells what the API server says beside the plan of an object.
func (p *planner) compareServer(s *state) {
	if s.stored == nil && s.refused == nil {
		return
	}
	s.out.Server = &Server{Fields: []ServerField{}}
	if s.refused != nil {
		s.out.Server.Refused = p.Mask.Error(s.refused, s.shown.HasSecret())
		return
	}
	planned, stored := s.compared(s.prediction.Object), s.compared(dataOf(s.stored))
	for _, l := range location.Differing(planned, stored) {
		field := ServerField{Path: l.String()}
		for root, into := range map[*tree.Node]**any{planned: &field.Plan, stored: &field.Server} {
			if n := location.At(root, l); n != nil {
				*into = new(s.shown.Value(l, tree.Value(n)))
			}
		}
		s.out.Server.Fields = append(s.out.Server.Fields, field)
	}
}

// compared is an object without what only the API server sets.
func (s *state) compared(data map[string]any) *tree.Node {
	data = maps.Clone(data)
	if s.kind.StatusSubresource || s.kind.Origin == schema.Assumed {
		delete(data, "status")
	}
	if metadata, ok := data["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		maps.DeleteFunc(metadata, func(key string, _ any) bool { return slices.Contains(schema.ServerSet, key) })
		data["metadata"] = metadata
	}
	return tree.FromValue(data)
}

// serverLines say what the API server says.
func (o *PlannedObject) serverLines() (lines []string) {
	switch {
	case o.Server == nil:
		return nil
	case o.Server.Refused != "" && o.Outcome != Conflict:
		return []string{"the API server refuses the apply: " + o.Server.Refused}
	case o.Server.Refused == "" && (o.Outcome == Conflict || o.Outcome == Refused):
		return []string{"the API server accepts the apply"}
	}
	for _, f := range o.Server.Fields {
		server, planned := shown(f.Server, f.Plan)
		lines = append(lines, "the API server would store "+f.Path+" as "+server+", not as "+planned)
	}
	return lines
}
