package redact

import (
	"errors"
	"fmt"
	"testing"
)

// evaluationError is an error of an expression.
type evaluationError struct{ expression, cause, safe string }

func (e *evaluationError) Error() string {
	return fmt.Sprintf("error in '%s': %s", e.expression, e.cause)
}

func (e *evaluationError) Evaluated() (cause string, written []string, safe string) {
	return e.cause, []string{e.expression}, e.safe
}

func (e *evaluationError) WithCause(cause string) error {
	return &evaluationError{expression: e.expression, cause: cause, safe: e.safe}
}

func TestMaskError(t *testing.T) {
	root := parse(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2-and-more}\n")
	tests := map[string]struct {
		err  error
		want string
	}{
		"no expression": {errors.New("found hunter2-and-more"), "found ***"},
		"a part": {&evaluationError{".a[0:4]", "hunt", "raised a string"},
			"error in '.a[0:4]': raised a string"},
		"another form": {&evaluationError{".a", "HUNTER2-AND-MORE", "raised a string"},
			"error in '.a': raised a string"},
		"a part in words": {&evaluationError{`error("no key " + .a[0:4])`, "no key hunt", ""},
			`error in 'error("no key " + .a[0:4])': no key ***`},
		"the value in words": {&evaluationError{`error("no key " + .a)`, "no key hunter2-and-more", "raised a string"},
			`error in 'error("no key " + .a)': no key ***`},
		"a key and a name": {&evaluationError{".", `{"password":"db"}`, "raised an object"},
			`error in '.': {"password":"db"}`},
		"wrapped": {fmt.Errorf("rule 1: %w, so stop", &evaluationError{".a[0:4]", "hunt", "raised a string"}),
			"rule 1: error in '.a[0:4]': raised a string, so stop"},
		"no data": {&evaluationError{".a", "", "raised a string"}, "error in '.a': "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := New(root).Error(test.err); got != test.want {
				t.Errorf("message %q, want %q", got, test.want)
			}
			if got := (Mask{}).Error(test.err); got != test.err.Error() {
				t.Errorf("without a Secret: message %q, want that of the error", got)
			}
		})
	}
}

func TestMaskErrorShowsWhatIsWritten(t *testing.T) {
	root := parse(t, "{kind: Secret, stringData: {password: hunter2-and-more}}")
	err := &evaluationError{".a", "Opaque", "another"}
	if got := New(root).Error(err, `.kind = "Opaque"`); got != "error in '.a': Opaque" {
		t.Errorf("message %q", got)
	}
}

func TestMaskWith(t *testing.T) {
	mask := New(parse(t, "{kind: Secret, stringData: {password: hunter2}}"))
	more := mask.With("other").With(" ").With("other")
	if got := more.Text("hunter2, other "); got != "***, *** " {
		t.Errorf("masked %q", got)
	}
	if got := mask.Text("hunter2, other"); got != "***, other" {
		t.Errorf("the mask itself must stay as it is, masked %q", got)
	}
}
