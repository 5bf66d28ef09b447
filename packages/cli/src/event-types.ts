import { isObject } from './is-object.ts';
import { escapeJson } from './text.ts';

/** What was seen of one value, over all the places where it may stand. */
type Shape = {
  count: number;
  readonly kinds: Set<'string' | 'number' | 'boolean' | 'null'>;
  /** Values that were objects, and what was in them. */
  objects: number;
  readonly fields: Map<string, Shape>;
  /** What was in lists; null where none was seen. */
  items: Shape | null;
};
/** An event as it came. */
export type SeenEvent = { readonly eventType: string; readonly properties: Readonly<Record<string, unknown>> };

/** Ours: what lies deeper is said to be free. */
const MAX_DEPTH = 4;
/** Names in one object, above which they are data and no names. Source: interface, Limits, properties of an event. */
const MAX_FIELDS = 100;
const FREE = 'Readonly<Record<string, unknown>>';

const emptyShape = (): Shape => ({ count: 0, kinds: new Set(), objects: 0, fields: new Map(), items: null });

const see = (shape: Shape, value: unknown, depth = 0): void => {
  shape.count++;
  // What comes of anybody may lie thousands deep.
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    shape.items ??= emptyShape();
    for (const item of value) see(shape.items, item, depth + 1);
  } else if (isObject(value)) {
    shape.objects++;
    for (const [name, inner] of Object.entries(value)) {
      const field = shape.fields.get(name) ?? emptyShape();
      shape.fields.set(name, field);
      see(field, inner, depth + 1);
    }
  } else if (value === null) shape.kinds.add('null');
  else if (typeof value === 'string') shape.kinds.add('string');
  else if (typeof value === 'number') shape.kinds.add('number');
  else if (typeof value === 'boolean') shape.kinds.add('boolean');
};

/** A text of JSON is one of TypeScript, and nothing in it ends the line or acts on a terminal. */
const literal = (name: string): string => escapeJson(JSON.stringify(name));
const inOrder = <T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1));

const objectOf = ({ fields, objects }: Shape, depth: number): string => {
  if (fields.size === 0 || fields.size > MAX_FIELDS || depth >= MAX_DEPTH) return FREE;
  const members = inOrder(fields).map(
    ([name, field]) => `readonly ${literal(name)}${field.count < objects ? '?' : ''}: ${typeOf(field, depth + 1)}`,
  );
  return `{ ${members.join('; ')} }`;
};

const typeOf = (shape: Shape, depth: number): string => {
  const { kinds, objects, items } = shape;
  const choices: string[] = [...kinds].sort();
  if (objects > 0) choices.push(objectOf(shape, depth));
  if (items) choices.push(`readonly (${typeOf(items, depth + 1)})[]`);
  return choices.join(' | ') || 'unknown';
};

/**
 * An interface of what programs track: the properties of each event that was seen, and names that only workflows wait for,
 * with free properties. The same whatever order the events came in, and on every machine.
 *
 * @param name of the interface
 * @returns the text of a TypeScript file. Throws nothing.
 */
export const eventTypes = (name: string, events: readonly SeenEvent[], triggers: readonly string[]): string => {
  const shapes = new Map<string, Shape>(triggers.map((trigger) => [trigger, emptyShape()]));
  for (const { eventType, properties } of events) {
    const shape = shapes.get(eventType) ?? emptyShape();
    shapes.set(eventType, shape);
    see(shape, properties);
  }
  return [
    '// Made by `beckon types generate` of events that were seen: what was rare may be missing.',
    `export interface ${name} {`,
    ...inOrder(shapes).map(([eventType, shape]) => `  readonly ${literal(eventType)}: ${objectOf(shape, 0)};`),
    '}',
    '',
  ].join('\n');
};
