package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestLine(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain":                 {"Deployment default/web", "Deployment default/web"},
		"line breaks":           {"a\nb\r\nc\u2028d\u0085e", "a b  c d e"},
		"escape sequences":      {"a\x1b[31mb\u009b2Jc\x7f", "a [31mb 2Jc "},
		"direction of writing":  {"a\u202eb\u2066c\u200fd", "a b c d"},
		"without a width":       {"a\u200bb\ufeffc\u2060d", "a b c d"},
		"joiners":               {"می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"},
		"no UTF-8":              {"a\xff\xfeb", "a\uFFFDb"},
		"command":               {"::error::x", ": :error::x"},
		"command behind blanks": {"\u00a0 \t::error::x", "\u00a0  : :error::x"},
		"command behind a sign": {"+::error::x", "+::error::x"},
		"older command":         {"a ##[error]b ##vso[task.complete]", "a ## [error]b ##vso [task.complete]"},
		"hashes":                {"### a ##[", "### a ## ["},
		"empty":                 {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Line(test.text); got != test.want {
				t.Errorf("line %q, want %q", got, test.want)
			}
		})
	}
}

func TestSource(t *testing.T) {
	if got, want := Source("\t ::set-output::a\tb\x1b\r"), "\t : :set-output::a\tb  "; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain":   {"Deployment default/web", "Deployment default/web"},
		"HTML":    {"<img src=x>&amp;", `\<img src=x\>\&amp;`},
		"markup":  {"**a** `b` [c](d) ~e~ | $f$", "\\*\\*a\\*\\* \\`b\\` \\[c\\](d) \\~e\\~ \\| \\$f\\$"},
		"mention": {"@all, #1", "@&#8203;all, #&#8203;1"},
		"address": {"https://a.example WWW.a.example", "https&#8203;://a.example WWW&#8203;.a.example"},
		"lines":   {"a\n# b", "a #&#8203; b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Markdown(test.text); got != test.want {
				t.Errorf("Markdown %s, want %s", got, test.want)
			}
		})
	}
}

func TestHTML(t *testing.T) {
	text, want := "<b a=\"x\">&amp;\n@all, #1 http://a *b*", "&lt;b a=&quot;x&quot;&gt;&amp;amp; @&#8203;all, #&#8203;1 http&#8203;://a *b*"
	if got := HTML(text); got != want {
		t.Errorf("HTML %s, want %s", got, want)
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"a": "`a`", "a`b": "``a`b``", "`a": "`` `a ``", "a|b": `a\|b`, "a\nb\u202e": "`a b `",
	} {
		if want[0] != '`' {
			want = "`" + want + "`"
		}
		if got := Code(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestFence(t *testing.T) {
	got := Fence("diff", " a\n+```\r\n-\t\u202eb\n")
	if diff := cmp.Diff("````diff\n a\n+``` \n-\t b\n````", got); diff != "" {
		t.Errorf("block (-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	text := "{\n  \"a\": \"\u202e\U000e0041ü ##[error] # ##\"\n}\n"
	want := "{\n  \"a\": \"\\u202E\\uDB40\\uDC41ü \\u0023#[error] # ##\"\n}\n"
	if diff := cmp.Diff(want, string(JSON([]byte(text)))); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	want = "{\n  \"a\": \"\\U0000202E\\U000E0041ü \\U00000023#[error] # ##\"\n}\n"
	if diff := cmp.Diff(want, string(YAML([]byte(text)))); diff != "" {
		t.Errorf("YAML (-want +got):\n%s", diff)
	}
}

// FuzzPrintable checks what each format promises.
func FuzzPrintable(f *testing.F) {
	f.Add("a\n::error::b\x1b[1m##[c] \u202e @d `e` https://f\xff")
	f.Add(" \t::##vso[a]\u2028\r\n```</details>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range []string{Line(text), Source(text), Code(text), Markdown(text), HTML(text), Text(text)} {
			if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && isInvisible(r) }) {
				t.Errorf("%q is written as %q", text, line)
			}
		}
		for _, line := range []string{Line(text), Source(text), Code(text)} {
			bare := strings.TrimLeftFunc(line, unicode.IsSpace)
			if strings.HasPrefix(bare, "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
				t.Errorf("%q is written as %q, which has a command", text, line)
			}
		}
		if Line(Line(text)) != Line(text) {
			t.Errorf("%q is written as %q, and that otherwise", text, Line(text))
		}
		checkEscapes(t, strings.ToValidUTF8(text, "\uFFFD"))
	})
}

func checkEscapes(t *testing.T, text string) {
	t.Helper()
	plain, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(JSON(plain), &got); err != nil || got != text {
		t.Errorf("%q is read from JSON as %q, %v", text, got, err)
	}
	if err := yaml.Unmarshal(YAML(plain), &got); err != nil || got != text {
		t.Errorf("%q is read from YAML as %q, %v", text, got, err)
	}
}
