package report

import (
	"slices"
	"testing"
)

func TestLine(t *testing.T) {
	ref := Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}
	file := File{Path: "web.yaml", Index: 1, HasIndex: true}
	tests := map[string]struct {
		result Result
		want   string
	}{
		"message":         {Result{Message: "failed", Severity: SeverityError}, "error: failed"},
		"object":          {Result{Message: "failed", Severity: SeverityError, Ref: ref}, "error: failed (Deployment default/web)"},
		"file":            {Result{Message: "odd", Severity: SeverityWarning, File: file}, "warning: odd (web.yaml[1])"},
		"object and file": {Result{Message: "m", Severity: SeverityInfo, Ref: ref, File: file}, "info: m (Deployment default/web, web.yaml[1])"},
		"object in the message": {Result{Message: "Deployment default/web is odd", Severity: SeverityInfo, Ref: ref},
			"info: Deployment default/web is odd"},
		"a longer name in the message": {Result{Message: "owner: Deployment default/web-2, my-web.yaml[1]", Severity: SeverityInfo, Ref: ref, File: file},
			"info: owner: Deployment default/web-2, my-web.yaml[1] (Deployment default/web, web.yaml[1])"},
		"names at ends": {Result{Message: "web.yaml[1] has Deployment default/web. Deployment default/web", Severity: SeverityInfo, Ref: ref, File: file},
			"info: web.yaml[1] has Deployment default/web. Deployment default/web"},
		"no severity": {Result{Message: "m"}, "m"},
		"controls":    {Result{Message: "a\nb\r\x1b[1mc\u2028d\te\u202ef", Severity: SeverityError}, "error: a b  [1mc d e f"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.result.Line(); got != test.want {
				t.Errorf("line %q, want %q", got, test.want)
			}
		})
	}
}

func TestDetailLines(t *testing.T) {
	result := Result{Detail: "\ta\x1b[2Jb\r\n\t ^"}
	if got, want := result.DetailLines(), []string{"\ta [2Jb ", "\t ^"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}
