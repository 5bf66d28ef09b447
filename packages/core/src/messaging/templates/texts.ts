import { MAX_JSON_DEPTH } from '../../foundation/json.ts';

/** A text of a value, and the dotted path to it. */
export type Text = { readonly path: string; readonly text: string };

/** The strings of a value at any depth, in its order; keys are no texts. Throws nothing. */
export function* textsIn(value: unknown, path: string): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, `${path}.${key}`);
}

/**
 * Names a field that is rendered, at any depth below it: names with dots between them, `*` for any name or index, such as
 * `actions.*.title`.
 */
export type RenderedField = string;

const ANY = '*';
const namesOf = (field: RenderedField): readonly string[] => field.split('.');

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] =>
  typeof value === 'object' && value !== null;

function* textsBelow(value: unknown, [name, ...rest]: readonly string[], path: string): Generator<Text> {
  if (name === undefined) yield* textsIn(value, path);
  else if (isContainer(value))
    for (const [key, item] of Object.entries(value))
      if (name === ANY || name === key) yield* textsBelow(item, rest, path === '' ? key : `${path}.${key}`);
}

/** The texts of a config or a body that are rendered, field by field. Throws nothing. */
export function* renderedTexts(value: unknown, fields: readonly RenderedField[]): Generator<Text> {
  for (const field of fields) yield* textsBelow(value, namesOf(field), '');
}

/** Members that one walk looks at. Chosen: more than any body or config that is taken has beside its texts. */
const MAX_MEMBERS = 50_000;

/** What one walk skips, and how many members it may still look at: a host program may pass anything, even a cycle. */
type Walk = { readonly isElsewhere: (path: string) => boolean; left: number };

function* unrendered(
  value: unknown,
  fields: readonly (readonly string[])[],
  path: string,
  walk: Walk,
  level = 1,
): Generator<Text> {
  const isRendered = fields.some((names) => names.length === 0);
  if (typeof value === 'string') {
    if (!isRendered && value.includes('{{')) yield { path, text: value };
    return;
  }
  if (!isContainer(value) || level > MAX_JSON_DEPTH) return;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    if (walk.left === 0) return;
    walk.left -= 1;
    const at = path === '' ? key : `${path}.${key}`;
    if (walk.isElsewhere(at)) continue;
    // A key is never rendered, whatever it names.
    if (!isList && key.includes('{{')) yield { path: at, text: key };
    const below = fields.flatMap((names) =>
      names.length === 0 ? [names] : names[0] === ANY || names[0] === key ? [names.slice(1)] : [],
    );
    yield* unrendered(item, below, at, walk, level + 1);
  }
}

/**
 * Every string of a config or a body that holds `{{` and is no template, in its order: a value outside the fields that are
 * rendered, or a key. Looks at 50,000 members at most. Throws nothing.
 *
 * @param isElsewhere paths that are left out, with all that is below them
 */
export const unrenderedTexts = (
  value: unknown,
  fields: readonly RenderedField[],
  isElsewhere: (path: string) => boolean = () => false,
): Generator<Text> => unrendered(value, fields.map(namesOf), '', { isElsewhere, left: MAX_MEMBERS });
