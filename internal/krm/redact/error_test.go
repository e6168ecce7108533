package redact

import (
	"errors"
	"fmt"
	"testing"

	"github.com/krm-fields/krm-fields/internal/words"
)

// evaluationError is an error of an expression.
type evaluationError struct{ cause string }

func (e *evaluationError) Error() string { return "error in '.a[0:4]': " + e.cause }

func (e *evaluationError) Show(mask words.Mask, hasSecret bool) string {
	cause := mask.Text(e.cause)
	if hasSecret {
		cause = "raised a string"
	}
	return "error in '" + mask.Expression(".a[0:4]") + "': " + cause
}

func TestMaskError(t *testing.T) {
	root := parse(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2-and-more}\n")
	tests := map[string]struct {
		err  error
		want string
	}{
		"no expression": {errors.New("found hunter2-and-more"), "found ***"},
		"by its kind":   {&evaluationError{"hunt"}, "error in '.a[0:4]': raised a string"},
		"wrapped":       {fmt.Errorf("rule 1: %w, so stop", &evaluationError{"hunt"}), "rule 1: error in '.a[0:4]': raised a string, so stop"},
		"not quoted":    {notQuoted{&evaluationError{"hunt"}}, "error in '.a[0:4]': raised a string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := seeing(root).Error(test.err, true); got != test.want {
				t.Errorf("message %q, want %q", got, test.want)
			}
			if got := (*Mask)(nil).Error(test.err, false); got != test.err.Error() {
				t.Errorf("without a Secret: message %q, want that of the error", got)
			}
		})
	}
}

// notQuoted is an error that does not have the text of its cause.
type notQuoted struct{ error }

func (n notQuoted) Error() string { return "cause: hunt" }

func (n notQuoted) Unwrap() error { return n.error }

func TestMaskWith(t *testing.T) {
	mask := seeing(parse(t, "{kind: Secret, stringData: {password: hunter2}}"))
	more := mask.With(parse(t, "{kind: Secret, stringData: {password: other, blank: ' '}}"))
	if got := more.Text("hunter2, other "); got != "***, *** " {
		t.Errorf("masked %q", got)
	}
	if got := mask.Text("hunter2, other"); got != "***, other" {
		t.Errorf("the mask itself must stay as it is, masked %q", got)
	}
}
