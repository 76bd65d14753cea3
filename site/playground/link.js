// A scenario in the fragment of a link, which no server sees: gzip of its JSON, in base64url (RFC 4648, 5).

// Longer links are cut or refused by programs that pass them on.
export const LONGEST = 8000;
// More bytes are not unpacked: a short link can name many.
const MOST = 1 << 20;

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new Error("the scenario of this link is too long");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

// The fragment of a state, a value of JSON; undefined if the link would be too long.
export async function write(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("gzip"), Infinity);
  const fragment = `#s=${base64url(packed)}`;
  return fragment.length <= LONGEST ? fragment : undefined;
}

// The state of a fragment; undefined if it has none. Throws if it is damaged.
export async function read(fragment) {
  const found = /^#s=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!found) return undefined;
  const bytes = await through(bytesOf(found[1]), new DecompressionStream("gzip"), MOST);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
