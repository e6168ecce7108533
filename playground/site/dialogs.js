// The two dialogs: one converts ignore rules, the other exports those of the page.

import { $, copy, download, element, say } from './dom.js';
import { Editor, marksOf } from './editor.js';

const OURS = 'ignorefields'; // the format of the page's own rules

export class Convert {
  #engine;
  #rules; // the editor of the page
  #input = new Editor($('convert-input'), { onInput: () => this.#convert() });
  #output = new Editor($('convert-output'));
  #holds = {}; // by format: the objects that have rules in it

  constructor(engine, rules) {
    this.#engine = engine;
    this.#rules = rules;
    $('convert-from').onchange = () => this.#chooseFrom();
    $('convert-to').onchange = () => this.#convert();
    $('convert-swap').onclick = () => this.#swap();
    $('convert-take').onclick = () => this.#take();
    $('convert-copy').onclick = () => copy(this.#output.text, 'The rules are copied.');
  }

  // The formats that there are.
  set formats({ from, to }) {
    $('convert-from').replaceChildren(...from.map(({ name, title }) => new Option(title, name)));
    $('convert-to').replaceChildren(...to.map(({ name, title }) => new Option(title, name)));
    $('convert-to').value = OURS;
    this.#holds = Object.fromEntries(from.map(({ name, holds }) => [name, holds]));
  }

  open() {
    $('convert').showModal();
    this.#chooseFrom();
  }

  #chooseFrom() {
    const from = $('convert-from').value;
    if (from === OURS) this.#input.text = this.#rules.text;
    $('convert-input').placeholder = `Paste ${this.#holds[from] ?? 'rules'}.`;
    this.#convert();
  }

  #swap() {
    const [from, to] = [$('convert-from'), $('convert-to')];
    const has = (select, value) => [...select.options].some((option) => option.value === value);
    if (!has(from, to.value) || !has(to, from.value)) return say('This conversion goes one way only.');
    [from.value, to.value] = [to.value, from.value];
    if (this.#output.text) this.#input.text = this.#output.text;
    this.#convert();
  }

  async #convert() {
    const text = this.#input.text;
    const [from, to] = [$('convert-from').value, $('convert-to').value];
    let answer = { text: '', notes: [], errors: [] };
    if (text.trim() !== '') {
      try {
        answer = await this.#engine.ask('convert', { text, from, to });
      } catch (error) {
        answer.errors = [{ message: error.message }];
      }
    }
    if (answer) this.#show(answer);
  }

  #show({ text, notes, errors }) {
    this.#input.marks = marksOf(this.#input, errors);
    this.#output.text = text;
    const faults = errors.map(({ line, message }) => element('li', { className: 'error' }, line ? `Line ${line}: ${message}` : message));
    $('convert-notes').replaceChildren(...faults, ...notes.map(({ message }) => element('li', {}, message)));
    $('convert-take').disabled = $('convert-to').value !== OURS || text === '';
    $('convert-copy').disabled = text === '';
  }

  #take() {
    $('convert').close();
    this.#rules.edit(this.#output.text);
    say('The rules are the converted ones. Undo brings yours back.');
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
