package playground

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var draw = flag.Bool("pictures", false, "write the pictures of docs/images, and what they show, anew")

// pictures are those of docs/images. Pixels differ from one machine to the next, so a picture is
// held to what it shows: testdata has the elements and texts that were there when it was taken.
var pictures = []struct {
	name   string
	screen screen
}{
	{"playground-light", desktop},
	{"playground-dark", dark},
	{"playground-phone", phone},
}

// TestPictures looks at the page in the state of each picture. The flag -pictures takes them again.
func TestPictures(t *testing.T) {
	for _, picture := range pictures {
		t.Run(picture.name, func(t *testing.T) {
			p := open(t, picture.screen, "")
			p.clickText("manifests", "replicas")
			p.wait(`$('expressions').children.length === 3 && $('field-name').innerText.includes('Owned by ')`)
			p.settle()
			p.run(`{
				$('version').textContent = 'krm-fields'; // each commit has another one
				document.activeElement.blur(); // no caret, which blinks
				document.querySelector('.source .editor').scrollTo(0, 0);
			}`)
			shown := strings.Join(eval[[]string](p, shownElements), "\n") + "\n"
			golden := filepath.Join("testdata", picture.name+".txt")
			image := filepath.Join("..", "..", "docs", "images", picture.name+".png")
			if *draw {
				write(t, golden, []byte(shown))
				write(t, image, p.take())
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if shown != string(want) {
				t.Errorf("the picture is out of date; make playground-pictures takes it anew. It would show\n%s\nand shows\n%s", shown, want)
			}
			if _, err := os.Stat(image); err != nil {
				t.Error(err)
			}
		})
	}
}

// take returns a picture of what is in sight.
func (p *page) take() []byte {
	p.Helper()
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	return image
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// shownElements lists what the page shows, from the top: each text with its element or role, the
// chosen tabs and options, and of the editors the lines with marks, with notes and with changes.
// How much of it is in sight depends on the fonts of the machine.
const shownElements = `{
	const lines = [];
	const marked = (span) => [...span.classList].filter((name) => /^(mark|note|in|is-(added|removed|hunk))/.test(name)).join(' ');
	const drawLine = (line) => {
		if (![...line.children].some(marked)) return;
		let text = '';
		let open = '';
		for (const span of line.children) {
			const names = marked(span);
			if (names !== open) text += (open ? '>' : '') + (names ? '<' + names + ': ' : '');
			text += span.textContent;
			open = names;
		}
		lines.push('  | ' + text + (open ? '>' : ''));
	};
	const visit = (element) => {
		if (!element.checkVisibility({ visibilityProperty: true }) || element.matches('.numbers, textarea, svg, script, noscript')) return;
		if (element.matches('.line')) return drawLine(element);
		const name = element.role ?? element.localName;
		if (element.localName === 'select') {
			lines.push('select: ' + element.selectedOptions[0].text);
			return;
		}
		const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim()).filter(Boolean).join(' ');
		const chosen = element.ariaSelected === 'true' ? ' (chosen)' : '';
		if (own) lines.push(name + chosen + ': ' + own);
		for (const child of element.children) visit(child);
	};
	visit(document.body);
	return lines;
}`
