// The engine in its worker. A question that takes too long ends the worker, and a new one is
// started from the module that is already compiled. There is never more than one.
//
// There are two programs: one for most questions, and a larger one with all that there is. The
// first says which question needs the other, which takes its place from then on.

const LIMIT = 2000; // ms
const FIRST = 'krm-fields';
const LAST = ['run', 'blame', 'explain', 'plan']; // the ops that others go before

// Stopped is why a question has no answer: the engine was ended over it.
export class Stopped extends Error {}

export class Engine {
  #worker;
  #program = FIRST;
  #modules = new Map(); // by program, once compiled
  #isReady = false;
  #asked; // the question that the worker answers now
  #waiting = new Map(); // by op: what is asked after it
  #last = 0;
  #timer;
  #onFailure;

  // onFailure gets an Error where the engine can't be loaded.
  constructor({ onFailure }) {
    this.#onFailure = onFailure;
    this.#start();
  }

  // Answers with what the engine says. Of several questions of one op that wait, only the last is
  // put; the others are answered with null.
  ask(op, fields) {
    return new Promise((resolve, reject) => {
      this.#waiting.get(op)?.resolve(null);
      this.#waiting.set(op, { op, fields, resolve, reject });
      this.#next();
    });
  }

  #start() {
    const worker = new Worker('worker.js');
    this.#worker = worker;
    // What an ended worker has said before may still arrive.
    const ifCurrent = (act) => (event) => worker === this.#worker && act(event);
    worker.onmessage = ifCurrent(({ data }) => this.#hear(data));
    worker.onerror = ifCurrent((event) => this.#fail(event.message));
    worker.postMessage({ program: this.#program, module: this.#modules.get(this.#program) });
  }

  // Ends the worker, and returns the question that it had.
  #end() {
    clearTimeout(this.#timer);
    this.#worker.terminate();
    this.#isReady = false;
    const asked = this.#asked;
    this.#asked = undefined;
    return asked;
  }

  #hear(data) {
    if (data.module) this.#modules.set(this.#program, data.module);
    if (data.failure) return this.#fail(data.failure);
    if (data.answer) return this.#answer(JSON.parse(data.answer));
    if (!data.isReady) return;
    this.#isReady = true;
    this.#next();
  }

  #answer(answer) {
    if (answer.needs) return this.#change(`${FIRST}-${answer.needs}`);
    clearTimeout(this.#timer);
    const asked = this.#asked;
    this.#asked = undefined;
    performance.measure(`engine ${asked.op}`, { start: asked.since });
    if (answer.error) asked.reject(new Error(answer.error.message));
    else asked.resolve(answer);
    this.#next();
  }

  // Starts the other program, and puts the question again, unless a newer one waits.
  #change(program) {
    const asked = this.#end();
    if (this.#waiting.has(asked.op)) asked.resolve(null);
    else this.#waiting.set(asked.op, asked);
    this.#program = program;
    this.#start();
  }

  // What a person waits for at one place comes before the run of everything, and the plan comes last.
  #next() {
    if (!this.#isReady || this.#asked) return;
    const ops = [...this.#waiting.keys()].sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b));
    if (ops.length === 0) return;
    const asked = this.#waiting.get(ops[0]);
    this.#waiting.delete(asked.op);
    this.#asked = asked;
    asked.since = performance.now();
    this.#timer = setTimeout(() => this.#stop(`This took longer than ${LIMIT / 1000} seconds and was stopped.`), LIMIT);
    this.#worker.postMessage({ question: JSON.stringify({ ...asked.fields, id: ++this.#last, op: asked.op }) });
  }

  #stop(message) {
    const asked = this.#end();
    this.#start();
    asked?.reject(new Stopped(message));
  }

  // The program can't be loaded, or it has ended, for example because memory is used up.
  #fail(message) {
    if (this.#isReady) return this.#stop(`The engine stopped (${message}) and was restarted.`);
    this.#end();
    const error = new Error(message);
    if (this.#program === FIRST) return this.#onFailure(error);
    for (const asked of this.#waiting.values()) asked.reject(new Error(`${this.#program} can't be loaded: ${message}`));
    this.#waiting.clear();
    this.#program = FIRST;
    this.#start();
  }
}
