// Real responses of operations as examples of the document: short, and without values that differ from run to run.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The file from which the document takes its example responses. */
const file = fileURLToPath(new URL('../../../src/openapi/answer-examples.json', import.meta.url));

/** Items of a list of objects or lists in an example. Chosen: one shows the form of all. */
const MAX_ITEMS = 1;
const isComposite = (value: unknown): boolean => typeof value === 'object' && value !== null;
/** Characters of a text in an example. Chosen: longer ones are rendered messages and keys. */
const MAX_TEXT = 300;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const SECRET = /whsec_[A-Za-z0-9+/=]+/g;

/** Values of these fields differ from run to run. */
const EXAMPLES: Readonly<Record<string, string>> = {
  accessToken: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
  refreshToken: 'rt_AbC123',
  deviceToken: 'dt_AbC123',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};

const shortened = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > MAX_TEXT ? value.slice(0, MAX_TEXT).toWellFormed() : value;
  if (Array.isArray(value)) return (value.every(isComposite) ? value.slice(0, MAX_ITEMS) : value).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === 'string' ? (EXAMPLES[key] ?? shortened(member)) : shortened(member),
    ]),
  );
};

/** A response body as an example: ids are numbered, and secrets belong to no webhook. Throws for invalid JSON. */
export const exampleOf = (body: string): unknown => {
  const ids = new Map<string, string>();
  const plain = JSON.stringify(shortened(JSON.parse(body)))
    .replaceAll(UUID, (id) => {
      const counted = ids.get(id) ?? `01890000-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
      ids.set(id, counted);
      return counted;
    })
    .replaceAll(SECRET, 'whsec_c2VjcmV0LW9mLWFuLWV4YW1wbGUtbm90LXVzZWQ=');
  return JSON.parse(plain);
};

/** Stores examples by operation id: run the test that creates them with `BECKON_WRITE_EXAMPLES=1`. */
export const keepExamples = (examples: ReadonlyMap<string, unknown>): void => {
  if (process.env['BECKON_WRITE_EXAMPLES'] !== '1') return;
  const sorted = Object.fromEntries([...examples].sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
};
