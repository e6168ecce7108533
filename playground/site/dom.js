// What every part of the page uses: elements, tabs, and how it tells something.

const SAID_FOR = 6000; // ms
const MOST_ROWS = 500;

let saidTimer;

export const $ = (id) => document.getElementById(id);

export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// A row of a list, of the parts that are there.
export function row(...parts) {
  return element('li', {}, ...parts.filter(Boolean));
}

// Fills a panel with rows, or says that there are none; nothing where nothing has run yet.
export function fill(panel, rows, empty) {
  if (!rows) return panel.replaceChildren();
  if (rows.length === 0) return panel.replaceChildren(element('p', {}, empty));
  const list = element('ul', {}, ...rows.slice(0, MOST_ROWS));
  const rest = rows.length - MOST_ROWS;
  panel.replaceChildren(list, ...(rest > 0 ? [element('p', {}, `And ${rest} more.`)] : []));
}

// "1 field", "2 fields"
export function count(n, thing) {
  return `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;
}

// Says a sentence, to be seen and to be heard.
export function say(text) {
  clearTimeout(saidTimer);
  const host = document.querySelector('dialog[open]') ?? document.body; // nothing is above an open dialog
  host.append($('said'));
  $('said').hidden = false;
  $('said').textContent = text;
  saidTimer = setTimeout(() => { $('said').hidden = true; }, SAID_FOR);
}

// Copies a text, and says what is done, or where to copy it by hand.
export async function copy(text, done, byHand = 'select the text and copy it') {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(`The browser refuses the clipboard; ${byHand}.`);
  }
}

export function download(name, text) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type: 'application/yaml' })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Makes each list of tabs one stop of the Tab key, in which arrow keys, Home and End choose.
// onSelect is called when a tab is chosen.
export function tabs(onSelect) {
  const choose = (tab) => {
    select(tab);
    onSelect();
  };
  for (const list of document.querySelectorAll('[role=tablist]')) {
    const all = [...list.querySelectorAll('[role=tab]')];
    list.addEventListener('click', (event) => {
      const tab = event.target.closest('[role=tab]');
      if (tab) choose(tab);
    });
    list.addEventListener('keydown', (event) => {
      const at = all.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const tab = all[(to + all.length) % all.length];
      choose(tab);
      tab.focus();
    });
  }
}

// Chooses a tab, and shows its panel in place of the others.
export function select(tab) {
  for (const other of tab.parentElement.querySelectorAll('[role=tab]')) {
    const isChosen = other === tab;
    other.ariaSelected = String(isChosen);
    other.tabIndex = isChosen ? 0 : -1;
    $(other.getAttribute('aria-controls')).hidden = !isChosen;
  }
}

// Returns a function that says of an element that it waits for an answer, and returns one that says
// that the answer is there. An element that waits for several does so until the last.
export function waiting(element) {
  let last = 0;
  return () => {
    const mine = ++last;
    element.ariaBusy = 'true';
    return () => {
      if (mine === last) element.ariaBusy = 'false';
    };
  };
}
