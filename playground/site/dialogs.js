// The dialogs: two make rules of another text, and one exports those of the page.

import { $, copy, download, element, say, waiting } from './dom.js';
import { Editor, marksOf } from './editor.js';
import { examples } from './examples.js';

const OURS = 'ignorefields'; // the format of the page's own rules

// A dialog that makes rules of another text, anew at each edit. Its kind says how: ask(text) answers
// with the text of the rules, those of them that can be taken, and what is to be said of it.
class FromText {
  #name;
  #taken = '';
  #wait;

  // The rules are the editor of the page.
  constructor(name, engine, rules, language) {
    Object.assign(this, { engine, rules });
    this.#name = name;
    this.#wait = waiting(this.part());
    this.input = new Editor(this.part('input'), { language, onInput: () => this.make() });
    this.output = new Editor(this.part('output'));
    this.part('example').onclick = () => this.input.edit(this.example);
    this.part('take').onclick = () => this.#take();
    this.part('copy').onclick = () => copy(this.output.text, 'The rules are copied.');
  }

  // An element of the dialog, or the dialog itself.
  part(...name) {
    return $([this.#name, ...name].join('-'));
  }

  async make() {
    const answered = this.#wait();
    const text = this.input.text;
    let answer = { text: '', notes: [] };
    if (text.trim() !== '') {
      try {
        answer = await this.ask(text);
      } catch (error) {
        answer.errors = [{ message: error.message }];
      }
    }
    if (answer) this.#show(answer);
    answered();
  }

  #show({ text, taken, notes, errors = [] }) {
    this.input.marks = marksOf(this.input, errors);
    this.output.text = text;
    this.#taken = taken ?? '';
    const faults = errors.map(({ line, message }) => element('li', { className: 'error' }, line ? `Line ${line}: ${message}` : message));
    this.part('notes').replaceChildren(...faults, ...notes.map(({ message }) => element('li', {}, message)));
    this.part('take').disabled = this.#taken === '';
    this.part('copy').disabled = text === '';
  }

  #take() {
    this.part().close();
    this.rules.edit(this.#taken);
    say('These are the rules now. Undo brings yours back.');
  }
}

export class Convert extends FromText {
  #holds; // by format: the objects that have rules in it

  constructor(engine, rules) {
    super('convert', engine, rules);
    $('convert-from').onchange = () => this.#chooseFrom();
    $('convert-to').onchange = () => this.make();
    $('convert-swap').onclick = () => this.#swap();
  }

  async open() {
    $('convert').showModal();
    try {
      if (!this.#holds) this.#choices(await this.engine.ask('formats', {}));
      this.#chooseFrom();
    } catch (error) {
      say(`Nothing can be converted: ${error.message}`);
    }
  }

  // What there is to choose from.
  #choices({ from, to }) {
    $('convert-from').replaceChildren(...from.map(({ name, title }) => new Option(title, name)));
    $('convert-to').replaceChildren(...to.map(({ name, title }) => new Option(title, name)));
    $('convert-to').value = OURS;
    this.#holds = Object.fromEntries(from.map(({ name, holds }) => [name, holds]));
  }

  get example() {
    return examples[$('convert-from').value] ?? this.rules.text;
  }

  #chooseFrom() {
    const from = $('convert-from').value;
    if (from === OURS) this.input.text = this.rules.text;
    $('convert-input').placeholder = `Paste ${this.#holds[from] ?? 'rules'}.`;
    this.make();
  }

  #swap() {
    const [from, to] = [$('convert-from'), $('convert-to')];
    const has = (select, value) => [...select.options].some((option) => option.value === value);
    if (!has(from, to.value) || !has(to, from.value)) return say('This conversion goes one way only.');
    [from.value, to.value] = [to.value, from.value];
    if (this.output.text) this.input.text = this.output.text;
    this.make();
  }

  async ask(text) {
    const [from, to] = [$('convert-from').value, $('convert-to').value];
    const answer = await this.engine.ask('convert', { text, from, to });
    return answer && { ...answer, taken: to === OURS ? answer.text : '' };
  }
}

// The text of a failed apply, from kubectl, Helm or a GitOps tool.
export class FromError extends FromText {
  #manifests;
  example = examples.error;

  constructor(engine, rules, manifests) {
    super('from-error', engine, rules, 'text');
    this.#manifests = manifests;
  }

  open() {
    $('from-error').showModal();
    this.make();
  }

  // The page has one functionConfig: where there are rules, patches are left to be copied.
  async ask(failed) {
    const answer = await this.engine.ask('fromError', { manifests: this.#manifests.text, failed });
    if (!answer) return null;
    const { config, patches, notes } = answer;
    return { text: [config, patches].filter(Boolean).join('---\n'), taken: config || patches, notes };
  }
}

export class Export {
  #engine;
  #rules;
  #text = new Editor($('export-text'));
  #name = '';

  constructor(engine, rules) {
    this.#engine = engine;
    this.#rules = rules;
    for (const radio of document.getElementsByName('form')) radio.onchange = () => this.#export();
    $('export-copy').onclick = () => copy(this.#text.text, 'The text is copied.');
    $('export-download').onclick = () => download(this.#name, this.#text.text);
  }

  open() {
    $('export').showModal();
    this.#export();
  }

  async #export() {
    const as = new FormData($('export').firstElementChild).get('form');
    try {
      const answer = await this.#engine.ask('export', { config: this.#rules.text, as });
      if (answer) this.#show(answer);
    } catch (error) {
      this.#show({ name: '', text: '', fault: error.message });
    }
  }

  // A text without a name is a command.
  #show({ name, text, command, fault }) {
    this.#name = name;
    this.#text.text = text;
    const how = name ? `Save it as ${name}` : 'Run this in the folder of the manifests.';
    $('export-how').replaceChildren(fault ?? how, ...(command ? [', and run ', element('code', {}, command)] : []));
    $('export-copy').disabled = text === '';
    $('export-download').disabled = name === '';
  }
}
