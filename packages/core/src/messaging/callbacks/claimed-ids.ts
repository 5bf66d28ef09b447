// Finds message ids in the first bytes of a callback without parsing it. These bytes are not verified yet: the ids only
// select the secrets for the verification, and parsing 1 MB of hostile JSON costs 100 ms.

/** Bytes at the start of a callback that are searched for ids. Chosen: 60 events of SendGrid, 1 of any other. */
export const CALLBACK_START_BYTES = 65_536;
/** Maximum different ids looked up before verification. Chosen: one statement, whatever the body contains. */
const MAX_CLAIMED_IDS = 20;
/**
 * Maximum occurrences of a name that are checked. Chosen: 64 KB of real events name some 200 messages, repeated ones
 * included.
 */
const MAX_MATCHES = 500;
/** Maximum bytes of an id. Chosen: twice the longest that a provider is known to issue (a Message-ID of 254). */
const MAX_ID_BYTES = 512;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
};

const startsWith = (bytes: Uint8Array, at: number, text: Uint8Array): boolean =>
  text.every((byte, index) => bytes[at + index] === byte);

/** Position of the closing quote of a text; -1 if it is too long or cut off. */
const endOfText = (bytes: Uint8Array, from: number, close: Uint8Array): number => {
  const last = Math.min(bytes.length, from + MAX_ID_BYTES);
  for (let at = from; at < last; at += 1) {
    if (startsWith(bytes, at, close)) return at;
    if (bytes[at] === QUOTE) return -1;
    // Skips the escaped character, so that an escaped quote does not end the text.
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return -1;
};

const decoded = (bytes: Uint8Array): string | null => {
  const text = Buffer.from(bytes).toString();
  if (!text.includes('\\')) return text;
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
};

/**
 * The different texts that follow a name in JSON, at any depth, in order: at most MAX_CLAIMED_IDS. One search over the
 * bytes. Throws nothing.
 *
 * @param name unescaped letters; an escaped name is not found
 * @param isNested the JSON is inside a JSON text, so each quote follows a backslash
 */
export const textsNamed = (json: Uint8Array, name: string, isNested = false): readonly string[] => {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const quote = isNested ? '\\"' : '"';
  const [named, mark] = [Buffer.from(`${quote}${name}${quote}`), Buffer.from(quote)];
  const found = new Set<string>();
  let at = bytes.indexOf(named);
  for (let matches = 0; at !== -1 && matches < MAX_MATCHES && found.size < MAX_CLAIMED_IDS; matches += 1) {
    const place = at;
    at = bytes.indexOf(named, at + named.length);
    const colon = skipSpace(bytes, place + named.length);
    if (bytes[colon] !== COLON) continue;
    const open = skipSpace(bytes, colon + 1);
    if (!startsWith(bytes, open, mark)) continue;
    const from = open + mark.length;
    const end = endOfText(bytes, from, mark);
    const text = end === -1 ? null : decoded(bytes.subarray(from, end));
    if (text !== null && text !== '') found.add(text);
  }
  return [...found];
};
