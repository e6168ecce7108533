// The page: what is in its editors, runs on each edit, and what it shows of that.

import { Completion } from './completion.js';
import { Convert, Export, FromError } from './dialogs.js';
import { $, copy, count, element, row, say, select, tabs, waiting } from './dom.js';
import { Editor, marksOf } from './editor.js';
import { Engine, Stopped } from './engine.js';
import { decode, encode } from './link.js';
import { Outcome } from './outcome.js';

const RULE_COLOURS = 6; // of style.css
const LINK_PAUSE = 400; // ms without an edit
const BLAME_PAUSE = 300; // ms without a run
const FIELD_PAUSE = 60; // ms without a move of the caret
const MOST_BYTES = 20 << 20; // of files
const LONG_LINK = 8000; // characters that mail and chat programs still pass on

const engine = new Engine({ onFailure: cannotLoad });
const editors = {
  manifests: new Editor($('manifests'), { onInput: edited, onCaret: caretMoved }),
  live: new Editor($('live'), { onInput: edited }),
  config: new Editor($('config'), { onInput: (event) => { edited(event); completion.typed(event); } }),
};
const completion = new Completion(editors.config, $('completions'), ({ line, column }) =>
  engine.ask('complete', { config: editors.config.text, line, column }));
const outcome = new Outcome(editors, (op) => engine.ask(op, { ...state(), manager: $('field-manager').value.trim() }));
const dialogs = {
  convert: new Convert(engine, editors.config),
  'from-error': new FromError(engine, editors.config, editors.manifests),
  export: new Export(engine, editors.config),
};

const waitForRun = waiting($('outcome'));
const waitForField = waiting($('field'));

let stories = [];
let story; // the name of the one shown, undefined once it is edited
let isNew = true; // until what a story or a link has brought is shown
let linkTimer;
let fieldTimer;
let blameTimer;
let shownField;
let blamed = {}; // what the owners in sight are of, and they
const marks = { matches: [], field: [], errors: { manifests: [], live: [], config: [] } };

start();

async function start() {
  tabs(() => outcome.showTab());
  $('story').onchange = () => choose($('story').value);
  $('share').onclick = share;
  $('again').onclick = () => run();
  $('suggest').onclick = suggest;
  for (const [name, dialog] of Object.entries(dialogs)) $(`open-${name}`).onclick = () => dialog.open();
  $('open-files').onclick = () => $('files').click();
  $('files').onchange = () => {
    openFiles(editors[$('tab-live').ariaSelected === 'true' ? 'live' : 'manifests'], $('files').files);
    $('files').value = ''; // the same one may be opened again
  };
  for (const editor of Object.values(editors)) acceptFiles(editor);
  addEventListener('popstate', () => load().then(() => run()));
  engine.ask('version', {}).then(showVersion, failed);
  try {
    const response = await fetch('stories.json');
    stories = await response.json();
  } catch (error) {
    say(`The stories can't be loaded: ${error.message}`);
  }
  for (const label of new Set(stories.map(({ group }) => group))) {
    const options = stories.filter(({ group }) => group === label).map(({ name, title }) => new Option(title, name));
    $('story').append(element('optgroup', { label }, ...options));
  }
  await load();
  await run();
  performance.measure('first answer', { start: 0 });
  navigator.serviceWorker?.register('service-worker.js').catch(() => {}); // without it, only offline use is missing
}

function showVersion({ version }) {
  $('version').textContent = `krm-fields ${version}`;
}

// Files are dropped on the editor that they are for.
function acceptFiles(editor) {
  const area = editor.area.closest('.editor');
  area.ondragover = (event) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  };
  area.ondrop = (event) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    openFiles(editor, event.dataTransfer.files);
  };
}

// Puts files into an editor, one behind the other, in place of what it holds.
async function openFiles(editor, list) {
  const files = [...list];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST_BYTES) return say(`Files of ${(size >> 20).toLocaleString('en')} MB are too large for this page: at most ${MOST_BYTES >> 20} MB.`);
  const texts = await Promise.all(files.map((file) => file.text()));
  editor.edit(texts.map((text) => text.replace(/\n?$/, '\n')).join('---\n'));
  say(`${count(files.length, 'file')} opened.`);
}

// The state: what the editors hold. The address follows it.

function state() {
  return Object.fromEntries(Object.entries(editors).map(([name, editor]) => [name, editor.text]));
}

// Shows what the address says, else the first story.
async function load() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has('s')) {
    try {
      return show(await decode(fragment.get('s')), undefined);
    } catch (error) {
      say(`The link can't be read: ${error.message}`);
    }
  }
  const chosen = stories.find(({ name }) => name === fragment.get('story')) ?? stories[0];
  if (chosen) show(chosen, chosen.name);
}

function show(texts, name) {
  for (const [part, editor] of Object.entries(editors)) editor.text = texts[part] ?? '';
  nameStory(name);
  marks.matches = [];
  blamed = {};
  isNew = true;
  showField(null);
  outcome.show({});
  $('stopped').hidden = true;
  if (!texts.live && $('tab-live').ariaSelected === 'true') select($('tab-manifests'));
}

function nameStory(name) {
  story = name;
  const list = $('story');
  list.querySelector('[value=""]')?.remove();
  if (name === undefined) list.prepend(new Option('Your own', ''));
  list.value = name ?? '';
  const { title, about } = stories.find((s) => s.name === name) ?? {};
  // A narrow screen may have no room for the whole name in the list.
  $('about').replaceChildren(...(about ? [element('strong', { className: 'narrow' }, `${title}. `), about] : []));
}

async function choose(name) {
  clearTimeout(linkTimer);
  await updateLink(); // what is left can be gone back to
  history.pushState(null, '', `#story=${encodeURIComponent(name)}`);
  await load();
  run();
}

function edited(event) {
  if (story !== undefined) nameStory(undefined);
  run(event.timeStamp);
  clearTimeout(linkTimer);
  linkTimer = setTimeout(updateLink, LINK_PAUSE);
}

async function updateLink() {
  const fragment = story === undefined ? `s=${await encode(state())}` : `story=${encodeURIComponent(story)}`;
  history.replaceState(null, '', `#${fragment}`);
}

async function share() {
  await updateLink();
  const { length } = location.href;
  const long = length > LONG_LINK ? ` It is ${length.toLocaleString('en')} characters long.` : '';
  const { manifests, live } = state();
  const secret = /^\s*kind:\s*["']?Secret\b/m.test(`${manifests}\n${live}`) ? ' It holds a Secret.' : '';
  await copy(location.href, `The link is copied. It holds all that is in the editors.${secret}${long}`, `copy the address: ${location.href}`);
}

// A run: what the rules do.

async function run(since = performance.now()) {
  const answered = waitForRun();
  try {
    const answer = await engine.ask('run', state());
    if (!answer) return; // a later run shows what it finds
    $('stopped').hidden = true;
    showRun(answer);
    performance.measure('answer', { start: since });
    clearTimeout(blameTimer);
    const isWhole = answer.errors.every((error) => error.in === 'config'); // else the owners stay
    if (isWhole) blameTimer = setTimeout(() => blame().catch(notBlamed), BLAME_PAUSE);
  } catch (error) {
    failed(error);
  }
  answered();
}

function showRun(answer) {
  const hasRules = editors.config.text.trim() !== '';
  const errors = answer.errors.filter((error) => hasRules || error.in !== 'config');
  for (const part of Object.keys(editors)) showProblems(part, errors.filter((error) => error.in === part));
  if (errors.length > 0) {
    // While a rule is typed it is wrong most of the time: what was found before stays.
    drawMarks();
    return outcome.summarize(`${count(errors.length, 'problem')}; shown is the last run without one`);
  }
  marks.matches = answer.matches.map(({ rule, start, end }) => markOf(start, end, colourOf(rule)));
  drawMarks();
  editors.config.notes = notesOf(answer.expressions);
  outcome.show(hasRules ? answer : { ...answer, failed: false, results: [] });
  outcome.summarize(hasRules ? answer.summary : 'There are no rules yet.');
  if (isNew) {
    editors.config.show(answer.expressions[0]?.line ?? 1);
    editors.manifests.show(answer.matches[0]?.start.line ?? 1);
    isNew = false;
  }
}

// Shows who owns the fields on the cluster, anew where the manifests or the live objects have changed.
async function blame() {
  const { manifests, live } = state();
  if (manifests === blamed.manifests && live === blamed.live) return;
  blamed = { manifests, live, fields: [], results: [] };
  const answer = live.trim() === '' ? null : await engine.ask('blame', { manifests, live });
  if (manifests !== blamed.manifests || live !== blamed.live) return; // a later run asks again
  Object.assign(blamed, answer);
  const managers = [...new Set(blamed.fields.flatMap(({ owners }) => owners.map(({ manager }) => manager)))];
  const lines = Map.groupBy(blamed.fields, ({ line }) => line);
  editors.manifests.owners = new Map([...lines].map(([line, fields]) => {
    const texts = new Map(fields.flatMap(({ owners }) => owners.map(({ manager, text }) => [text, manager])));
    const [first] = texts.values();
    const more = texts.size > 1 ? ` +${texts.size - 1}` : '';
    return [line, { text: first + more, title: [...texts.keys()].join('\n'), colour: managers.indexOf(first) }];
  }));
  nameField(shownField); // and not its buttons, which would lose the focus
}

function notBlamed(error) {
  say(`Who owns which line can't be shown: ${error.message}`);
}

// Who owns a field, or why that is not known.
function ownersOf({ path, object, start }) {
  const owned = blamed.fields?.find((field) => field.line === start.line && field.path === path);
  if (owned) return `Owned by ${owned.owners.map(({ text }) => text).join('; ')}`;
  return blamed.results?.find((result) => result.object === object)?.message;
}

// Of ignoreFields[7], the colour of the eighth rule.
function colourOf(rule) {
  return `rule-${/\d+/.exec(rule) % RULE_COLOURS}`;
}

function markOf(start, end, name) {
  return { line: start.line, column: start.column, endLine: end.line, endColumn: end.column, name };
}

function drawMarks() {
  editors.manifests.marks = [...marks.matches, ...marks.field, ...marks.errors.manifests];
  editors.live.marks = marks.errors.live;
  editors.config.marks = marks.errors.config;
}

// "2 fields in 1 object" at the end of the line of an expression.
function notesOf(expressions) {
  const notes = new Map();
  for (const { rule, line, matches, objects } of expressions) {
    if (!line) continue;
    const text = matches > 0 ? `${count(matches, 'field')} in ${count(objects, 'object')}` : 'no match';
    const name = matches > 0 ? `in-${colourOf(rule)}` : 'note-none';
    const before = notes.get(line);
    if (!before) notes.set(line, { text, name });
    else notes.set(line, { text: `${before.text} · ${text}`, name: before.name === 'note-none' ? before.name : name });
  }
  return notes;
}

function showProblems(part, problems) {
  const editor = editors[part];
  marks.errors[part] = marksOf(editor, problems);
  const list = $(`${part}-problems`);
  list.hidden = problems.length === 0;
  list.replaceChildren(...problems.map((problem) => problemRow(editor, problem)));
  editor.area.ariaInvalid = String(problems.length > 0);
  const tab = $(`tab-${part}`);
  tab?.querySelector('.bad')?.remove();
  if (problems.length > 0) tab?.append(' ', element('span', { className: 'bad' }, count(problems.length, 'problem')));
}

// A problem leads to its place.
function problemRow(editor, { line, column, message }) {
  const button = element('button', { type: 'button' },
    element('span', { className: 'place' }, `${line}:${column}`), element('span', {}, message));
  button.onclick = () => editor.goTo(line, column);
  return row(button);
}

function failed(error) {
  $('stopped').firstElementChild.textContent = error instanceof Stopped
    ? `${error.message} Change the rules or the manifests to run them again.`
    : `The engine can't answer: ${error.message}`;
  $('stopped').hidden = false;
  outcome.summarize('Stopped');
}

function cannotLoad(error) {
  $('stopped').firstElementChild.textContent = `krm-fields can't be loaded (${error.message}). Load the page again.`;
  $('again').hidden = true;
  $('stopped').hidden = false;
  outcome.summarize('Not loaded');
  $('outcome').ariaBusy = 'false';
}

// The field at the caret, and the expressions that name it.

function caretMoved() {
  clearTimeout(fieldTimer);
  fieldTimer = setTimeout(locate, FIELD_PAUSE, waitForField());
}

async function locate(answered) {
  const { line, column } = editors.manifests.caret;
  try {
    const answer = await engine.ask('locate', { manifests: editors.manifests.text, line, column });
    if (!answer) return;
    showField(answer);
  } catch (error) {
    if (error instanceof Stopped) failed(error);
    else showField(null);
  }
  answered();
}

function showField(field) {
  shownField = field;
  const has = Boolean(field?.path);
  marks.field = has ? [markOf(field.start, field.end, 'field')] : [];
  drawMarks();
  nameField(field);
  $('expressions').replaceChildren(...(has ? field.expressions.map(expressionRow) : []));
}

function nameField(field) {
  const has = Boolean(field?.path);
  const name = has
    ? [element('code', {}, field.path), ' ', element('span', { className: 'object' }, field.object)]
    : [element('span', { className: 'hint' }, field?.message ?? 'Click a field of the manifests for the expressions that name it.')];
  const owners = has ? ownersOf(field) : undefined;
  const notes = [owners, ...(field?.notes ?? [])].filter(Boolean).map((note) => element('span', { className: 'more' }, note));
  $('field-name').replaceChildren(...name, ...notes);
}

function expressionRow(expression) {
  const { title, within = [], expression: text, matches, objects } = expression;
  const add = element('button', { type: 'button', ariaLabel: `Add a rule with the ${title} ${text}` }, 'Add rule');
  add.onclick = () => addRule(expression);
  return row(
    element('span', { className: 'dialect' }, title),
    element('code', {}, text),
    element('span', { className: 'matches' }, `${count(matches, 'field')} in ${count(objects, 'object')}`),
    add,
    within.length > 0 ? element('span', { className: 'within' }, 'in the document in ', element('code', {}, within.join(', in '))) : null,
  );
}

async function addRule(expression) {
  try {
    const answer = await engine.ask('addRule', { config: editors.config.text, expression });
    if (!answer) return;
    editors.config.edit(answer.config);
    editors.config.show(answer.line);
    say('The rule is added.');
  } catch (error) {
    say(`The rule can't be added: ${error.message}`);
  }
}

// Rules from the difference from the live objects; without those, from the owners that are among
// the manifests.
async function suggest() {
  const { manifests, live } = state();
  try {
    const answer = await engine.ask('suggest', { manifests, live });
    if (answer) showSuggested(answer, live.trim() !== '');
  } catch (error) {
    if (error instanceof Stopped) failed(error);
    else say(`Nothing can be suggested: ${error.message}`);
  }
}

function showSuggested({ config, errors, results }, hasLive) {
  if (config) {
    editors.config.edit(config);
    const what = hasLive ? 'make the difference from the live objects go away' : 'are for the owners among the manifests';
    return say(`These rules ${what}. Undo brings yours back.`);
  }
  const notes = [...errors, ...results].map(({ message }) => message).join(' ');
  const none = hasLive ? 'Nothing differs from the live objects.' : 'No object here owns a field of another. Paste live objects to compare with.';
  say(notes || none);
}
