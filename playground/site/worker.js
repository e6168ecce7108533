// Runs the engine apart from the page, so that the page stays usable and can end it.
'use strict';

importScripts('wasm_exec.js');

// A browser compiles a function when it first runs. A run of what is known to be harmless does
// that before the page limits the time of an answer.
const FIRST = {
  id: 0,
  op: 'run',
  manifests: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\ndata:\n  a: b\n',
  live: '',
  config: 'apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: first\nignoreFields:\n- jsonPointers: [/data/a]\n',
};

onmessage = ({ data }) => {
  if (data.program) {
    start(data).catch((error) => postMessage({ failure: error.message }));
    return;
  }
  try {
    postMessage({ answer: krmFields(data.question) });
  } catch (error) {
    postMessage({ failure: error.message });
  }
};

async function start({ program, module }) {
  if (!module) {
    module = await load(`${program}.wasm.gz`);
    postMessage({ module });
  }
  const go = new Go();
  const ended = go.run(await WebAssembly.instantiate(module, go.importObject)); // which has set krmFields by now
  krmFields(JSON.stringify(FIRST));
  postMessage({ isReady: true });
  await ended;
  postMessage({ failure: 'it ran out of memory' }); // there is nothing else that ends it
}

async function load(file) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: HTTP ${response.status}`);
  const [head, body] = response.body.tee();
  const reader = head.getReader();
  const { value } = await reader.read();
  reader.cancel();
  // Some servers say that the file is encoded, and the browser has decoded it by then.
  const isPacked = value[0] === 0x1f && value[1] === 0x8b;
  const program = isPacked ? body.pipeThrough(new DecompressionStream('gzip')) : body;
  return WebAssembly.compileStreaming(new Response(program, { headers: { 'Content-Type': 'application/wasm' } }));
}
