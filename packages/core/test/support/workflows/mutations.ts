// Changes of a JSON value that are likely to break a rule of workflows: keys and values from their own vocabulary.

type Container = Record<string, unknown> | unknown[];
type Place = { readonly parent: Container; readonly key: string };

/** One change: its kind, the place, the new key and the new value, each as an index. */
export type Change = readonly [kind: number, at: number, key: number, value: number];
/** Kinds of changes. */
export const CHANGE_KINDS = 5;

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const KEYS = (
  '$schema name type config when value op trait path event audience all any not steps exit minutes until window timezone ' +
  'offsetMinutes text html bodyHtml subject templateId body title data from to messagingServiceId split branches else ' +
  'weight flavor options schema fallback caseSensitive count within where filters colour saveAs abTestId category actions ' +
  'criticalAlert localized localizedBody headers mediaUrls attachments variables audienceId delayMinutes'
).split(' ');
const TEXTS = (
  'a user.email user.createdAt event.a steps.a.b eq gt between before within_last ver_gt includes contains in set performed ' +
  '{{trait.a}} 2026-01-01 1.2.3 09:00 user Europe/Paris https://x.test/a mon ios send_email wait decide'
).split(' ');
const VALUES: readonly unknown[] = [
  ...['', ...TEXTS, ID, ID.toUpperCase(), 'x'.repeat(300), 'x'.repeat(2_000), 'two words', 'a\0b', 'a\nb'],
  ...[0, 1, -1, 1.5, 50, 1e6, 1e300, true, false, null, [], {}, [1, 2], ['a'], ['mon'], ['ios'], [{}]],
  ...[{ a: 'b' }, { gte: 1 }, { n: 1, unit: 'day' }, { n: 6_000, unit: 'weeks' }, { from: '09:00', to: '10:00' }],
  ...[{ eventType: 'a', timeoutMinutes: 1, onTimeout: 'exit' }, { trait: 'a', op: 'set' }, { es: 'a' }, { 'x y': 'a' }],
  ...[[{ trait: 'a', op: 'eq', value: 1 }], { es: { text: 'a' } }, [{ id: 'a', title: 'b' }], { opens: true }],
  ...[[{ name: 'a' }, { name: 'b' }], { type: 'wait', config: { minutes: 1 } }, { steps: [] }, { soundName: 'a' }],
  ...[[{ name: 'a', weight: 100, steps: [] }], { properties: { a: { type: 'string' } } }, ['https://x.test/a']],
  ...[[{ filename: 'a', contentType: 'text/plain', content: 'aGk=' }], [{ type: 'wait', config: { minutes: 1 } }]],
];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
const placesIn = (value: unknown): Place[] =>
  isContainer(value) ? Object.entries(value).flatMap(([key, item]) => [{ parent: value, key }, ...placesIn(item)]) : [];
const valueAt = ({ parent, key }: Place): unknown => Object.entries(parent).find(([name]) => name === key)?.[1];
const put = (parent: Container, key: string, value: unknown): void => {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else parent[key] = value;
};
const drop = ({ parent, key }: Place): void => {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
};

/** Every single change at one place: each value there, and each key with one of the values. Throws nothing. */
export const changesAt = (at: number, seed: number): readonly Change[] => [
  ...VALUES.map((_, value) => [0, at, 0, value] as const),
  [1, at, 0, 0],
  ...KEYS.flatMap((_, key) => [[2, at, key, seed + key] as const, [4, at, key, 0] as const]),
];

/** A copy of a JSON value with these changes, one after the other. Throws nothing. */
export const mutated = (value: unknown, changes: readonly Change[]): unknown => {
  const copy = structuredClone(value);
  for (const [kind, at, keyIndex, valueIndex] of changes) {
    const places = placesIn(copy);
    const place = places[at % places.length];
    if (!place) continue;
    const { parent, key } = place;
    const current = valueAt(place);
    const name = KEYS[keyIndex % KEYS.length] ?? '';
    const next = structuredClone(VALUES[valueIndex % VALUES.length]);
    const other = places[valueIndex % places.length];
    if (kind === 0) put(parent, key, next);
    else if (kind === 1) drop(place);
    else if (kind === 2 && isContainer(current) && !Array.isArray(current)) current[name] = next;
    else if (kind === 3 && other) put(parent, key, structuredClone(valueAt(other)));
    else if (kind === 4 && !Array.isArray(parent)) {
      drop(place);
      put(parent, name, current);
    }
  }
  return copy;
};
