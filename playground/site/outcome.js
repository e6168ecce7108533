// What the rules do, in tabs: the diff, the output, the results, each expression, the plan. Only
// the tab in sight is filled: the texts may be large, and change with each key.

import { $, copy, count, element, fill, row, select, waiting } from './dom.js';
import { Editor } from './editor.js';

const BADGES = { // of the verdicts of a plan that are more than news
  handedOver: 'good', unchanged: 'good',
  conflict: 'warning', removed: 'warning', noEffectAtomic: 'warning', required: 'warning', matchedNothing: 'warning',
  refused: 'error', error: 'error',
};

export class Outcome {
  #editors; // of the page, which rows lead to
  #ask;
  #diff = new Editor($('diff'), { language: 'diff' });
  #output = new Editor($('output'));
  #answer = {};
  #fill = {
    diff: () => this.#fillDiff(),
    output: () => { this.#output.text = this.#answer.output ?? ''; },
    results: () => this.#fillResults(),
    explain: () => this.#fillMore('explain', () => this.#showExplain()),
    plan: () => this.#fillMore('plan', () => this.#showPlan()),
  };
  #wait = { explain: waiting($('panel-explain')), plan: waiting($('panel-plan')) };

  // ask answers with the explanation or the plan of what the editors hold, by the name of its tab, or
  // null where a later one is asked for.
  constructor(editors, ask) {
    this.#editors = editors;
    this.#ask = ask;
    $('copy').onclick = () => copy(this.#answer[this.#chosen] ?? '', `The ${this.#chosen} is copied.`);
    $('field-manager').onchange = () => {
      delete this.#answer.plan;
      this.showTab();
    };
  }

  get #chosen() {
    return document.querySelector('.outcome [aria-selected=true]').id.replace('tab-', '');
  }

  // Shows the answer to a run; {} where there is none yet.
  show(answer) {
    this.#answer = answer;
    const { results = [] } = answer;
    const worst = ['error', 'warning'].find((severity) => results.some((result) => result.severity === severity));
    $('results-count').textContent = results.length || '';
    $('results-count').className = `count ${worst ?? ''}`;
    this.showTab();
  }

  // Fills the chosen tab.
  showTab() {
    $('copy').hidden = !['diff', 'output'].includes(this.#chosen);
    this.#fill[this.#chosen]();
  }

  summarize(text) {
    $('summary').textContent = text;
  }

  #fillDiff() {
    const { diff, failed } = this.#answer;
    this.#diff.text = diff ?? '';
    const empty = failed ? 'The run fails; the results say why.' : 'The rules change nothing.';
    $('diff').placeholder = diff === '' ? empty : '';
  }

  #fillResults() {
    const rows = this.#answer.results?.map((result) => row(
      element('span', { className: `badge ${result.severity}` }, result.severity),
      element('p', { className: 'message' }, result.message),
      this.#place(result),
    ));
    fill($('panel-results'), rows, 'The run has no results.');
  }

  // The object and the field of a result, which lead to the place where they stand.
  #place({ object, path, line, in: part }) {
    const text = [object, path].filter(Boolean).join(', ');
    if (!text) return null;
    const editor = this.#editors[part];
    if (!line || !editor) return element('p', { className: 'more' }, text);
    const button = element('button', { type: 'button' }, text);
    button.onclick = () => {
      const tab = $(`tab-${part}`);
      if (tab) select(tab);
      editor.goTo(line, 1);
    };
    return element('p', { className: 'more' }, button);
  }

  // What takes longer than the run is asked for where it is in sight.
  async #fillMore(name, show) {
    const answer = this.#answer;
    show();
    if (answer.summary === undefined || answer[name] !== undefined) return;
    answer[name] = null; // asked for
    const answered = this.#wait[name]();
    const made = await this.#ask(name).catch((error) => ({ failure: error.message }));
    if (answer === this.#answer) { // a later run has others
      Object.assign(answer, { failure: undefined }, made);
      show();
    }
    answered();
  }

  #showExplain() {
    const rows = this.#answer.expressions?.map(({ path, expression, matches, objects, line, column, hint }) => {
      const place = element('button', { type: 'button' }, expression);
      place.onclick = () => line && this.#editors.config.goTo(line, column ?? 1);
      const found = matches > 0 ? `in ${count(objects, 'object')}` : 'finds nothing';
      return row(
        element('span', { className: `badge ${matches > 0 ? 'good' : 'warning'}` }, count(matches, 'field')),
        element('p', { className: 'message' }, element('code', {}, place)),
        element('p', { className: 'more' }, `${path}: ${hint || found}`),
      );
    });
    fill($('panel-explain'), rows, 'The rules have no expressions that find fields.');
    this.#append($('panel-explain'), this.#answer.explain);
  }

  // Adds what the command prints.
  #append(panel, text) {
    if (this.#answer.failure) panel.append(element('p', {}, this.#answer.failure));
    if (text) panel.append(element('pre', {}, text));
  }

  #showPlan() {
    const { plan, planText, failed, manager, managers = [] } = this.#answer;
    const hasLive = this.#editors.live.text.trim() !== '';
    $('plan-choices').hidden = !hasLive;
    $('field-manager').placeholder = manager ?? '';
    $('managers').replaceChildren(...managers.map((name) => new Option(name)));
    const rows = (hasLive ? plan : [])?.map(({ object, path, verdict, message }) => row(
      element('span', { className: `badge ${BADGES[verdict] ?? ''}` }, verdict.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
      element('p', { className: 'message' }, path ? element('code', {}, path) : '', path && object ? ' ' : '', object ?? ''),
      message ? element('p', { className: 'more' }, message) : null,
    ));
    const withLive = failed ? 'The run fails; the results say why.' : 'The next server-side apply changes nothing.';
    const withoutLive = 'Paste live objects beside the manifests to see what the next server-side apply does to each field.';
    fill($('plan'), rows, hasLive ? withLive : withoutLive);
    this.#append($('plan'), planText);
  }
}
