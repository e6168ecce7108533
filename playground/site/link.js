// What the editors hold, as the fragment of an address: compressed, and never sent to a server.

const NAMES = ['manifests', 'live', 'config'];
const MOST_BYTES = 20 << 20; // a short link may unpack to much

export async function encode(state) {
  const json = JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, state[name]])));
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export async function decode(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const state = JSON.parse(await readAtMost(unpacked, MOST_BYTES));
  return Object.fromEntries(NAMES.map((name) => [name, String(state[name] ?? '')]));
}

async function readAtMost(stream, most) {
  const decoder = new TextDecoder();
  let text = '';
  let read = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.length;
    if (read > most) throw new Error(`it unpacks to more than ${most} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}
