package playground

import (
	"os"
	"path/filepath"
	"testing"
)

// convert converts a text in the dialog of the page, or its example of the format.
func (p *page) convert(from, to, text string) string {
	p.Helper()
	p.run(`{
		$('convert-from').value = args[0];
		$('convert-to').value = args[1];
		if ($('convert-from').value !== args[0] || $('convert-to').value !== args[1]) throw new Error('no such format');
		$('convert-output').value = '';
	}`, from, to)
	if text == "" {
		p.click("#convert-example")
		p.settle()
	} else {
		p.put("convert-input", text)
	}
	p.wait(`$('convert-output').value !== '' || $('convert-notes').innerText !== ''`)
	return p.text("convert-output")
}

// openConvert opens the dialog, and waits for what there is to choose from.
func (p *page) openConvert() {
	p.Helper()
	p.click("#open-convert")
	p.wait(`$('convert-from').value !== ''`)
}

// TestConvert takes the rules of each other program, and holds them to what the command line
// makes of them; then it writes them in each format.
func TestConvert(t *testing.T) {
	p := open(t, desktop, "")
	p.openConvert()
	formats := eval[map[string][]string](p, `({ from: [...$('convert-from').options].map((o) => o.value), to: [...$('convert-to').options].map((o) => o.value) })`)
	for _, format := range formats["from"] {
		if format == "ignorefields" {
			continue
		}
		t.Run("from "+format, func(t *testing.T) {
			p := p.within(t)
			got := p.convert(format, "ignorefields", "")
			p.contains(got, "replicas")
			if want := convertByCommand(t, format, "ignorefields", p.text("convert-input")); got != want {
				t.Errorf("it must be converted to\n%s\nis\n%s", want, got)
			}
		})
	}
	rules := "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: rules\nselectors:\n- group: apps\n  kind: Deployment\n  name: web\n" +
		"  namespace: default\nignoreFields:\n- jsonPointers: [/spec/replicas]\n"
	for _, format := range formats["to"] {
		if format == "ignorefields" {
			continue
		}
		t.Run("to "+format, func(t *testing.T) {
			p := p.within(t)
			text := rules
			if format == "argocd-annotations" || format == "admission-policy" {
				text += "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: default\nspec:\n  replicas: 3\n"
			}
			if format == "admission-policy" { // which needs to know who may write the field
				text += "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\n  namespace: default\n" +
					"spec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n"
			}
			got := p.convert("ignorefields", format, text)
			p.contains(got, "replicas")
			if want := convertByCommand(t, "ignorefields", format, text); got != want {
				t.Errorf("it must be converted to\n%s\nis\n%s", want, got)
			}
		})
	}
}

// TestConvertAndTake takes converted rules as those of the page, and shows a fault.
func TestConvertAndTake(t *testing.T) {
	p := open(t, desktop, "")
	p.openConvert()
	p.convert("argocd", "ignorefields", "kind: [")
	p.wait(`document.querySelector('#convert-notes .error') !== null`)
	p.wait(`$('convert-take').disabled`)
	p.convert("argocd", "ignorefields", "")
	p.wait(`!$('convert-take').disabled`)
	converted := p.text("convert-output")
	p.click("#convert-swap")
	p.wait(`$('convert-from').value === 'ignorefields' && $('convert-output').value.includes('kind: Application')`)
	p.click("#convert-swap")
	p.wait(`$('convert-to').value === 'ignorefields' && $('convert-output').value.includes('kind: IgnoreFields')`)
	p.convert("argocd", "ignorefields", "")
	p.wait(`!$('convert-take').disabled`)
	p.click("#convert-take")
	p.said("These are the rules now")
	p.settle()
	if got := p.text("config"); got != converted {
		t.Errorf("the rules must be the converted ones, are\n%s", got)
	}
}

// TestConvertTheRulesOfThePage takes the rules of the page as what is converted.
func TestConvertTheRulesOfThePage(t *testing.T) {
	p := open(t, desktop, "")
	p.openConvert()
	p.run(`{
		$('convert-to').value = 'argocd';
		$('convert-from').value = 'ignorefields';
		$('convert-from').dispatchEvent(new Event('change'));
	}`)
	p.wait(`$('convert-output').value.includes('ignoreDifferences')`)
	if got, want := p.text("convert-input"), p.text("config"); got != want {
		t.Errorf("the input must be the rules of the page, is\n%s", got)
	}
}

// TestExport copies and downloads the rules in each form; the hosts' own tests run such files.
func TestExport(t *testing.T) {
	for _, form := range []struct{ value, part, command string }{
		{"file", "kind: IgnoreFields", "krm-fields run --config"},
		{"kpt", "kpt fn eval . --image ", "folder of the manifests"},
		{"kustomize", "config.kubernetes.io/function", "kustomize build"},
	} {
		t.Run(form.value, func(t *testing.T) {
			p := open(t, desktop, "")
			folder := p.downloads()
			p.click("#open-export")
			p.wait(`$('export-text').value !== ''`) // the text moves what is clicked next
			p.click("#export input[value=" + form.value + "]")
			p.wait(`$('export-text').value.includes(args[0]) && $('export-how').innerText.includes(args[1])`, form.part, form.command)
			text := p.text("export-text")
			p.contains(text, "/spec/replicas")
			p.click("#export-copy")
			p.said("copied")
			if got := eval[string](p, `navigator.clipboard.readText()`); got != text {
				t.Errorf("the clipboard must have the text, has\n%s", got)
			}
			if form.value == "kpt" { // a command, which is no file
				p.wait(`$('export-download').disabled`)
				return
			}
			if got := p.download(folder, "#export-download"); got != text {
				t.Errorf("the file must have the text, has\n%s", got)
			}
		})
	}
}

func convertByCommand(t *testing.T, from, to, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "input.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return krmFields(t, folder, "convert", "--from", from, "--to", to, "input.yaml")
}
