// Keeps the page for when there is no network. Online, the server is asked for everything, also for
// what the browser may keep for a while, so that an old build or a part of one is never shown; a new
// build is a new cache.
const cache = 'krm-fields @BUILD@';
const asked = { cache: 'no-cache' }; // the server answers 304 for what is the same
const files = [
  './', 'style.css', 'page.js', 'completion.js', 'dialogs.js', 'dom.js', 'editor.js', 'engine.js', 'examples.js', 'link.js', 'outcome.js',
  'worker.js', 'wasm_exec.js', 'krm-fields.wasm.gz', 'krm-fields-patches.wasm.gz', 'stories.json',
];

addEventListener('install', (event) => {
  const requests = files.map((file) => new Request(file, asked));
  event.waitUntil(caches.open(cache).then((opened) => opened.addAll(requests)));
  skipWaiting();
});

addEventListener('activate', (event) => {
  const dropOld = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith('krm-fields ') && name !== cache).map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(dropOld());
});

addEventListener('fetch', (event) => {
  const fromCache = () => caches.match(event.request, { ignoreSearch: true });
  event.respondWith(fetch(event.request, asked).catch(async () => (await fromCache()) ?? Response.error()));
});
