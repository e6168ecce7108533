// An editor: a plain textarea whose text is drawn again behind it, with colours, marks and line
// numbers. The textarea has the whole height and width of its text and scrolls together with the
// drawing, so the two can't come apart; of the drawing only the lines in sight exist.

const TAB_SIZE = 2;
const MOST_OF_OWNERS = 0.3; // of the width, for their names
const OWNER_COLOURS = 6; // of style.css
const LINES_OUT_OF_SIGHT = 20;
const MOST_LINES_TO_UNDO = 200; // a browser takes minutes to insert ten thousand as an edit

// What each language looks like, a line at a time: the first group that matched names the class.
const LANGUAGES = {
  yaml: /(?<comment>(?:^|(?<=\s))#.*)|(?<document>^(?:---|\.\.\.)(?=\s|$))|(?<key>(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#,[\]{}"'&*!|>%@`-][^#,[\]{}]*?|-[^\s#,[\]{}:]+)(?=\s*:(?:\s|$)))|(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|(?<number>(?<![^\s,:[\]{}-])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*(?:$|[\s,\]}#]))|(?<=[:\s-])(?:true|false|null|~)(?=\s*(?:$|[,\]}#])))|(?<punctuation>[[\]{},]|:(?=\s|$)|^\s*-(?=\s|$)|[|>][+-]?$)|(?<plain>[^\s,[\]{}:]+)/g,
  text: /(?!)/g, // nothing
  diff: /^(?:(?<file>(?:---|\+\+\+) .*)|(?<hunk>@@.*)|(?<added>\+.*)|(?<removed>-.*))/g,
};

export class Editor {
  #area;
  #scroller;
  #sheet;
  #drawing;
  #numbers;
  #language;
  #lines = [''];
  #starts = [0];
  #marks = [];
  #marksOfLine = new Map();
  #notes = new Map();
  #owners = new Map();
  #cell = { width: 8, height: 20 };
  #columns = 0;
  #drawn = { from: 0, to: 0 }; // the lines that are drawn, undefined where they are out of date
  #onCaret;

  // onInput gets the event of each edit, onCaret is called when the caret has moved.
  constructor(area, { language = 'yaml', onInput = () => {}, onCaret = () => {} } = {}) {
    this.#area = area;
    this.#language = LANGUAGES[language];
    this.#onCaret = onCaret;
    this.#build(language);
    area.addEventListener('input', (event) => {
      this.#read();
      onInput(event);
    });
    area.addEventListener('keydown', (event) => this.#indent(event));
    // A wide character may need more room than was reckoned.
    area.addEventListener('scroll', () => this.#widen());
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === area) this.#moved();
    });
    this.#scroller.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#measure()).observe(this.#scroller);
    document.fonts.ready.then(() => this.#measure());
  }

  get text() {
    return this.#area.value;
  }

  set text(text) {
    if (text === this.#area.value) return;
    this.#area.value = text;
    if (!this.#area.readOnly) {
      this.#area.setSelectionRange(0, 0);
      this.#scroller.scrollTo(0, 0);
    }
    this.#marks = [];
    this.#notes = new Map();
    this.#owners = new Map();
    this.#read();
  }

  get area() {
    return this.#area;
  }

  // The caret, both counted from 1, columns in UTF-16 code units.
  get caret() {
    return this.#positionOf(this.#area.selectionStart);
  }

  // Replaces what differs from text, as one edit that can be undone.
  edit(text) {
    const old = this.#area.value;
    if (old === text) return;
    let start = 0;
    while (start < old.length && old[start] === text[start]) start++;
    let end = 0;
    const most = Math.min(old.length, text.length) - start;
    while (end < most && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.replace(start, old.length - end, text.slice(start, text.length - end));
  }

  // Replaces a range of the text; the focus stays where it was.
  replace(start, end, text) {
    const focused = document.activeElement;
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(start, end);
    const command = text === '' ? 'delete' : 'insertText';
    const isSmall = text.split('\n', MOST_LINES_TO_UNDO + 1).length <= MOST_LINES_TO_UNDO;
    // A command alone keeps what the person can undo.
    if (!isSmall || !document.execCommand(command, false, text)) {
      this.#area.setRangeText(text, start, end, 'end');
      this.#area.dispatchEvent(new InputEvent('input', { inputType: 'insertText' }));
    }
    if (focused !== this.#area) focused?.focus({ preventScroll: true });
  }

  // Replaces the columns [from, to) of a line.
  replaceInLine(line, from, to, text) {
    const start = this.#starts[line - 1];
    this.replace(start + from - 1, start + to - 1, text);
  }

  lineText(line) {
    return this.#lines[line - 1] ?? '';
  }

  // Marks are {line, column, endLine, endColumn, name}: the class `mark-name` from the one to
  // before the other.
  set marks(marks) {
    if (marks.length === 0 && this.#marks.length === 0) return;
    this.#marks = marks;
    this.#indexMarks();
    this.#redraw();
  }

  // Notes are a Map from a line to {text, name}: the text behind that of the line, and its classes.
  set notes(notes) {
    this.#notes = notes;
    this.#redraw();
  }

  // Owners are a Map from a line to {text, title, colour}: who owns it, in front of its number.
  set owners(owners) {
    if (owners.size === 0 && this.#owners.size === 0) return;
    this.#owners = owners;
    this.#redraw();
  }

  // Puts the caret to a place and shows it.
  goTo(line, column) {
    const at = Math.min((this.#starts[line - 1] ?? 0) + column - 1, this.#area.value.length);
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(at, at);
    this.show(line);
  }

  show(line) {
    const top = (line - 1) * this.#cell.height;
    const { scrollTop, clientHeight } = this.#scroller;
    if (top >= scrollTop && top + 2 * this.#cell.height <= scrollTop + clientHeight) return;
    this.#scroller.scrollTo({ top: Math.max(0, top - clientHeight / 3) });
  }

  // Where a place is on the screen.
  rectOf(line, column) {
    const sheet = this.#drawing.getBoundingClientRect();
    const left = sheet.left + this.#widthOf(this.lineText(line).slice(0, column - 1));
    const top = sheet.top + (line - 1) * this.#cell.height;
    return { left, top, bottom: top + this.#cell.height };
  }

  #build(language) {
    const element = (name) => {
      const made = document.createElement('div');
      made.className = name;
      return made;
    };
    this.#scroller = element('editor');
    this.#sheet = element('sheet');
    this.#numbers = element('numbers');
    this.#drawing = element('drawing');
    this.#numbers.ariaHidden = this.#drawing.ariaHidden = 'true';
    const text = element('text');
    this.#area.replaceWith(this.#scroller);
    text.append(this.#drawing, this.#area);
    this.#sheet.append(this.#numbers, text);
    this.#scroller.append(this.#sheet);
    this.#scroller.classList.add(`language-${language}`);
  }

  // The width and the height of a character.
  #measure() {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.textContent = '0'.repeat(100);
    this.#drawing.append(probe);
    const { width, height } = probe.getBoundingClientRect();
    probe.remove();
    if (width === 0) return; // not shown now
    this.#cell = { width: width / 100, height };
    this.#redraw();
  }

  // Takes the text of the textarea, and moves the marks along with what is around them.
  #read() {
    const old = this.#lines;
    const lines = this.#area.value.split('\n');
    let offset = 0;
    let columns = 0;
    this.#starts = lines.map((line) => {
      const start = offset;
      offset += line.length + 1;
      if (line.length > columns / 2) columns = Math.max(columns, columnsOf(line));
      return start;
    });
    this.#lines = lines;
    this.#columns = columns;
    this.#shift(old, lines);
    this.#redraw();
  }

  #shift(old, lines) {
    const most = Math.min(old.length, lines.length);
    let same = 0;
    while (same < most && old[same] === lines[same]) same++;
    let sameAtEnd = 0;
    while (sameAtEnd < most - same && old[old.length - 1 - sameAtEnd] === lines[lines.length - 1 - sameAtEnd]) sameAtEnd++;
    const firstSame = old.length - sameAtEnd; // lines after it, counted from 1, are as they were
    const by = lines.length - old.length;
    const moved = (line) => (line <= same ? line : line > firstSame ? line + by : 0);
    this.#marks = this.#marks
      .map((mark) => ({ ...mark, line: moved(mark.line), endLine: moved(mark.endLine) }))
      .filter((mark) => mark.line && mark.endLine);
    const along = (map) => new Map([...map].map(([line, value]) => [moved(line), value]).filter(([line]) => line));
    this.#notes = along(this.#notes);
    this.#owners = along(this.#owners);
    this.#indexMarks();
  }

  #indexMarks() {
    this.#marksOfLine = new Map();
    for (const mark of this.#marks) {
      for (let line = mark.line; line <= mark.endLine; line++) {
        const marks = this.#marksOfLine.get(line);
        if (marks) marks.push(mark);
        else this.#marksOfLine.set(line, [mark]);
      }
    }
  }

  // Draws anew what has changed, once for all changes of a task.
  #redraw() {
    if (this.#drawn) queueMicrotask(() => this.#draw());
    this.#drawn = undefined;
  }

  // Draws the lines in sight, and some around them, unless they are drawn.
  #draw() {
    const { width, height } = this.#cell;
    const inSight = Math.ceil(this.#scroller.clientHeight / height);
    const top = Math.floor(this.#scroller.scrollTop / height);
    if (this.#drawn && top >= this.#drawn.from && top + inSight <= this.#drawn.to) return;
    const from = Math.max(0, top - LINES_OUT_OF_SIGHT);
    const to = Math.min(this.#lines.length, top + inSight + LINES_OUT_OF_SIGHT);
    this.#drawn = { from: from === 0 ? -1 : from, to: to === this.#lines.length ? Infinity : to };

    const digits = String(this.#lines.length).length;
    const longest = Math.max(-1, ...[...this.#owners.values()].map(({ text }) => text.length));
    const forOwners = Math.min((longest + 1) * width, this.#scroller.clientWidth * MOST_OF_OWNERS);
    this.#numbers.style.width = `${(Math.max(2, digits) + 2.5) * width + forOwners}px`;
    this.#sheet.style.height = `${this.#lines.length * height}px`;
    this.#drawing.parentElement.style.minWidth = `${(this.#columns + 4) * width}px`;

    const lines = document.createDocumentFragment();
    const numbers = document.createDocumentFragment();
    for (let line = from + 1; line <= to; line++) {
      const y = `${(line - 1) * height}px`;
      const drawn = this.#drawLine(line);
      drawn.style.top = y;
      lines.append(drawn);
      const number = document.createElement('div');
      number.textContent = line;
      number.style.top = y;
      number.className = (this.#marksOfLine.get(line) ?? []).map(({ name }) => `in-${name}`).join(' ');
      const owner = this.#owners.get(line);
      if (owner) number.append(this.#drawOwner(owner, forOwners));
      numbers.append(number);
    }
    this.#drawing.replaceChildren(lines);
    this.#numbers.replaceChildren(numbers);
  }

  #drawLine(line) {
    const text = this.#lines[line - 1];
    const element = document.createElement('div');
    element.className = 'line';
    const parts = this.#partsOf(text);
    const marks = this.#columnsOfMarks(line, text);
    for (const part of cut(parts, marks)) {
      const span = document.createElement('span');
      span.className = part.names.join(' ');
      span.textContent = text.slice(part.from, part.to);
      element.append(span);
    }
    for (const mark of marks) {
      if (mark.from >= text.length) element.append(emptyMark(mark));
    }
    const note = this.#notes.get(line);
    if (note) {
      const span = document.createElement('span');
      span.className = `note ${note.name}`;
      span.textContent = note.text;
      element.append(span);
    }
    return element;
  }

  #drawOwner({ text, title, colour }, width) {
    const span = document.createElement('span');
    span.className = `owner owner-${colour % OWNER_COLOURS}`;
    span.style.width = `${width}px`;
    span.textContent = text;
    span.title = title;
    return span;
  }

  #partsOf(text) {
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(this.#language)) {
      if (match.index > end) parts.push({ from: end, to: match.index, names: [] });
      end = match.index + match[0].length;
      const name = Object.keys(match.groups).find((group) => match.groups[group] !== undefined);
      parts.push({ from: match.index, to: end, names: [`is-${name}`] });
    }
    if (end < text.length) parts.push({ from: end, to: text.length, names: [] });
    return parts;
  }

  #columnsOfMarks(line, text) {
    const marks = this.#marksOfLine.get(line) ?? [];
    const indent = text.length - text.trimStart().length;
    return marks.map((mark) => ({
      from: line === mark.line ? mark.column - 1 : indent,
      to: line === mark.endLine ? mark.endColumn - 1 : text.length,
      name: mark.name,
    }));
  }

  #positionOf(offset) {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low] + 1 };
  }

  #widthOf(text) {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.textContent = text;
    this.#drawing.append(probe);
    const { width } = probe.getBoundingClientRect();
    probe.remove();
    return width;
  }

  // Scrolls the caret out from under the line numbers, which the browser doesn't know of.
  #moved() {
    const { column } = this.caret;
    const left = (column - 1) * this.#cell.width;
    if (left < this.#scroller.scrollLeft) this.#scroller.scrollLeft = column === 1 ? 0 : left;
    this.#onCaret(this.caret);
  }

  #widen() {
    const more = this.#area.scrollWidth - this.#area.clientWidth;
    if (more <= 0) return;
    this.#columns += Math.ceil(more / this.#cell.width);
    this.#area.scrollLeft = 0;
    this.#redraw();
  }

  // A new line begins below the text of the one before.
  #indent(event) {
    if (event.key !== 'Enter' || event.defaultPrevented || event.isComposing || this.#area.readOnly) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { line, column } = this.caret;
    const before = this.lineText(line).slice(0, column - 1);
    const indent = /^\s*/.exec(before)[0];
    if (indent === '') return;
    event.preventDefault();
    document.execCommand('insertText', false, `\n${indent}`);
  }
}

// The marks of problems, each at least one column wide.
export function marksOf(editor, problems) {
  return problems.filter(({ line }) => line).map(({ line, column = 1, endColumn }) => {
    const end = endColumn ?? editor.lineText(line).length + 1;
    return { line, column, endLine: line, endColumn: Math.max(end, column + 1), name: 'error' };
  });
}

function columnsOf(line) {
  let columns = line.length;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 9) columns += TAB_SIZE - 1;
    else if (code > 0x2fff) columns++; // as wide as two
  }
  return columns;
}

// Cuts the parts of a line where marks begin and end, and gives each piece the names of its marks.
function cut(parts, marks) {
  if (marks.length === 0) return parts;
  const edges = marks.flatMap((mark) => [mark.from, mark.to]);
  return parts.flatMap((part) => {
    const cuts = edges.filter((edge) => edge > part.from && edge < part.to);
    const at = [part.from, ...[...new Set(cuts)].sort((a, b) => a - b), part.to];
    return at.slice(1).map((to, i) => {
      const from = at[i];
      const over = marks.filter((mark) => mark.from <= from && mark.to >= to);
      return { from, to, names: [...part.names, ...over.map((mark) => `mark-${mark.name}`)] };
    });
  });
}

// A mark at the end of a line, or in an empty one, has no text to stand under.
function emptyMark(mark) {
  const span = document.createElement('span');
  span.className = `mark-${mark.name}`;
  span.textContent = ' ';
  return span;
}
