// The list of what may stand at the caret of an editor: a listbox that the textarea keeps the
// focus of. Arrow keys choose, Enter takes, Escape closes; Tab moves on as everywhere.

const WORD = /[\w/-]$/;

const MOVES = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];

export class Completion {
  #editor;
  #list;
  #ask;
  #items = [];
  #chosen = 0;
  #place; // the line, and the columns that an item replaces
  #isTaking = false;
  #asked = 0; // counts the questions, and what makes their answers useless

  // ask(caret) answers with {from, items}, or null.
  constructor(editor, list, ask) {
    this.#editor = editor;
    this.#list = list;
    this.#ask = ask;
    const { area } = editor;
    area.addEventListener('keydown', (event) => this.#key(event), { capture: true }); // before the editor's
    area.addEventListener('blur', () => this.close());
    area.addEventListener('click', () => this.close());
    addEventListener('scroll', (event) => event.target !== list && this.close(), { capture: true, passive: true });
    addEventListener('resize', () => this.close());
    list.addEventListener('mousedown', (event) => {
      event.preventDefault(); // the textarea keeps the focus
      const option = event.target.closest('[role=option]');
      if (option) this.#take([...this.#list.children].indexOf(option));
    });
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  // Opens after a letter, follows what is typed, and closes after anything else.
  typed(event) {
    if (this.#isTaking) return;
    const { line, column } = this.#editor.caret;
    const isWord = /^insert(Composition)?Text$/.test(event.inputType) && WORD.test(this.#editor.lineText(line).slice(0, column - 1));
    if (isWord || (this.isOpen && event.inputType === 'deleteContentBackward')) this.#open(false);
    else this.close();
  }

  close() {
    this.#asked++;
    this.#list.hidden = true;
    this.#editor.area.removeAttribute('aria-activedescendant');
  }

  async #open(isAsked) {
    const caret = this.#editor.caret;
    const asked = ++this.#asked;
    const answer = await this.#ask(caret).catch(() => null);
    if (!answer || asked !== this.#asked) return; // closed, or asked again
    const typed = this.#editor.lineText(caret.line).slice(answer.from - 1, caret.column - 1);
    const items = answer.items.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
    const isThere = items.length === 1 && items[0].label === typed;
    if (items.length === 0 || (!isAsked && (isThere || typed === ''))) return this.close();
    this.#items = items;
    this.#place = { line: caret.line, from: answer.from, to: caret.column };
    this.#show();
  }

  #show() {
    const options = this.#items.map(({ label, detail }, i) => {
      const option = document.createElement('li');
      option.id = `${this.#list.id}-${i}`;
      option.role = 'option';
      const name = document.createElement('span');
      name.className = 'label';
      name.textContent = label;
      const about = document.createElement('span');
      about.className = 'detail';
      about.textContent = detail ?? '';
      option.append(name, about);
      return option;
    });
    this.#list.replaceChildren(...options);
    this.#list.hidden = false;
    this.#position();
    this.#choose(0);
  }

  #position() {
    const { left, top, bottom } = this.#editor.rectOf(this.#place.line, this.#place.from);
    const { width, height } = this.#list.getBoundingClientRect();
    const isBelow = bottom + height < innerHeight || top < height;
    this.#list.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    this.#list.style.top = `${isBelow ? bottom : top - height}px`;
  }

  #choose(i) {
    const options = this.#list.children;
    this.#chosen = (i + options.length) % options.length;
    for (const option of options) option.ariaSelected = 'false';
    const chosen = options[this.#chosen];
    chosen.ariaSelected = 'true';
    this.#list.scrollTop = Math.min(this.#list.scrollTop, chosen.offsetTop);
    this.#list.scrollTop = Math.max(this.#list.scrollTop, chosen.offsetTop + chosen.offsetHeight - this.#list.clientHeight);
    this.#editor.area.setAttribute('aria-activedescendant', chosen.id);
  }

  #take(i) {
    const { line, from, to } = this.#place;
    const { label, insert } = this.#items[i];
    this.close();
    this.#isTaking = true;
    this.#editor.replaceInLine(line, from, to, insert ?? label);
    this.#isTaking = false;
  }

  #key(event) {
    if (event.isComposing) return;
    if ((event.key === ' ' && event.ctrlKey) || (event.key === 'ArrowDown' && event.altKey)) {
      event.preventDefault();
      this.#open(true);
      return;
    }
    if (!this.isOpen) return MOVES.includes(event.key) && this.close();
    const act = {
      ArrowDown: () => this.#choose(this.#chosen + 1),
      ArrowUp: () => this.#choose(this.#chosen - 1),
      Enter: () => this.#take(this.#chosen),
      Escape: () => this.close(),
    }[event.key];
    if (!act) {
      if (MOVES.includes(event.key)) this.close();
      return;
    }
    event.preventDefault();
    act();
  }
}
