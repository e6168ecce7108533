package applypatches

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// path is a compiled path.
type path struct {
	// fixed is the path itself if it has no expressions.
	fixed       *patchpath.Path
	template    *patchpath.Template
	expressions []*cel.Program
}

// parsePath compiles a path. Errors are *fault.SyntaxError and those of the limits of package
// guard.
func parsePath(environment *cel.Environment, text string) (*path, error) {
	template, err := environment.ParseTemplate(text)
	if err != nil {
		return nil, err
	}
	p := &path{}
	var pieces []patchpath.Piece
	for _, piece := range template.Pieces() {
		if piece.Program == nil {
			pieces = append(pieces, patchpath.Piece{Text: piece.Text})
			continue
		}
		pieces = append(pieces, patchpath.Piece{Text: "${" + piece.Program.String() + "}", IsExpression: true})
		p.expressions = append(p.expressions, piece.Program)
	}
	if p.template, err = patchpath.ParseTemplate(pieces); err != nil {
		return nil, err
	}
	if len(p.expressions) == 0 {
		p.fixed = p.template.Bind(nil)
	}
	return p, nil
}

// reads tells whether an expression in the path uses a variable or calls a function.
func (p *path) reads(name string) bool {
	return slices.ContainsFunc(p.expressions, func(e *cel.Program) bool { return e.Reads(name) })
}

// bind returns the path with its expressions evaluated, and the texts that they derived from the
// object. Errors are those of cel.Program.Eval.
func (p *path) bind(in cel.Input) (bound *patchpath.Path, made []*tree.Node, err error) {
	if p.fixed != nil {
		return p.fixed, nil, nil
	}
	values := make([]patchpath.Value, len(p.expressions))
	for i, expression := range p.expressions {
		value, err := expression.Eval(in)
		if err != nil {
			return nil, nil, err
		}
		text, isText := value.(string)
		if !isText {
			if text, err = expression.EvalText(in); err != nil {
				return nil, nil, err
			}
		}
		values[i], made = patchpath.Value{Text: text, Value: value}, append(made, tree.NewString(text))
	}
	return p.template.Bind(values), made, nil
}

// String returns the path as written.
func (p *path) String() string { return p.template.String() }
