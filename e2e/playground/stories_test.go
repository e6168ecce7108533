package playground

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A story is one of the page, made of an example.
type story struct{ Name, Title, About, Manifests, Live, Config string }

func readStories(t testing.TB) []story {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(site, "stories.json"))
	if err != nil {
		t.Fatal(err)
	}
	var stories []story
	if err := json.Unmarshal(content, &stories); err != nil {
		t.Fatal(err)
	}
	return stories
}

// TestStories chooses each story, and holds the output that the page shows to that of the command
// line, which is the same code in another build.
func TestStories(t *testing.T) {
	p := open(t, desktop, "")
	for _, s := range readStories(t) {
		t.Run(s.Name, func(t *testing.T) {
			p := p.within(t)
			p.run(`{ $('story').value = args[0]; $('story').dispatchEvent(new Event('change')); }`, s.Name)
			p.wait(`$('config').value === args[0]`, s.Config)
			p.settle()
			for id, want := range map[string]string{"manifests": s.Manifests, "live": s.Live} {
				if got := p.text(id); got != want {
					t.Errorf("the editor %s must hold the story's text, holds:\n%s", id, got)
				}
			}
			for _, id := range []string{"manifests", "live", "config"} {
				if problems := p.problems(id); len(problems) > 0 {
					t.Errorf("%s must have no problems, has %q", id, problems)
				}
			}
			if about := eval[string](p, `$('about').innerText`); about == "" || about != s.About {
				t.Errorf("the page must say what the story is about: %q, says %q", s.About, about)
			}
			if cut := eval[bool](p, `{
				const whole = $('story').cloneNode(true);
				Object.assign(whole, { id: '', value: args[0] });
				whole.style.cssText = 'position: absolute; max-width: none; width: max-content';
				$('story').after(whole);
				const cut = whole.offsetWidth > $('story').offsetWidth;
				whole.remove();
				return cut;
			}`, s.Name); cut {
				t.Errorf("the name must be whole: %s", s.Title)
			}
			if got, want := p.show("output"), runCommand(t, s, "run"); got != want {
				t.Errorf("the output must be that of krm-fields run:\n%s\nis:\n%s", want, got)
			}
			if got, want := p.show("diff"), runCommand(t, s, "run", "--diff"); got != want {
				t.Errorf("the diff must be that of krm-fields run --diff:\n%s\nis:\n%s", want, got)
			}
			if results := p.show("results"); results == "" {
				t.Error("there must be results")
			}
			if plan := p.show("plan"); s.Live != "" && strings.Contains(plan, "Paste live objects") {
				t.Errorf("the live objects must give a plan, it is:\n%s", plan)
			}
		})
	}
}

// TestFirstStory opens the page as a person who knows nothing of it does.
func TestFirstStory(t *testing.T) {
	p := open(t, desktop, "")
	if name := eval[string](p, `$('story').value`); name != "first-rule" {
		t.Errorf("the first story must be first-rule, is %s", name)
	}
	if got := strings.Join(p.marked("manifests", "rule-0"), "\n"); got != "replicas: 3" {
		t.Errorf("the field must be marked, marked is %q", got)
	}
	p.contains(p.text("diff"), "\n-  replicas: 3 # where the autoscaler starts from\n")
	p.contains(p.summary(), "1 field found")
	p.contains(eval[string](p, `document.querySelector('.rules .note').textContent`), "1 field in 1 object")
	p.contains(p.show("results"), "1 field removed: spec.replicas")
	p.contains(p.show("explain"), "/spec/replicas")
	p.contains(p.show("plan"), "handed over to kube-controller-manager")
}

// TestStoryShowsItsRule chooses a story whose first rule stands below what is in sight at first.
func TestStoryShowsItsRule(t *testing.T) {
	p := open(t, desktop, "#story=hpa-live")
	for _, mark := range []string{".rules .note", ".source .mark-rule-0"} {
		seen := eval[bool](p, `{
			const mark = document.querySelector(args[0]);
			const [{ top, bottom }, editor] = [mark, mark.closest('.editor')].map((element) => element.getBoundingClientRect());
			return top >= editor.top && bottom <= editor.bottom;
		}`, mark)
		if !seen {
			t.Errorf("%s must be in sight", mark)
		}
	}
}

// runCommand is what a command of krm-fields writes about a story.
func runCommand(t *testing.T, s story, command string, flags ...string) string {
	t.Helper()
	args := append([]string{command, "--config", "config.yaml"}, flags...)
	if s.Live != "" {
		args = append(args, "--live", "live.yaml")
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"config.yaml": s.Config, "live.yaml": s.Live, "manifests.yaml": s.Manifests} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return krmFields(t, folder, append(args, "manifests.yaml")...)
}

// krmFields runs the command line in a folder and returns what it writes to stdout.
func krmFields(t *testing.T, folder string, args ...string) string {
	t.Helper()
	path, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("krm-fields %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String()
}
