import { MAX_JSON_DEPTH } from '../../foundation/json.ts';

/** A text inside a value, and its dotted path. */
export type Text = { readonly path: string; readonly text: string };

/** The strings of a value at any depth, in order; keys are not included. Throws nothing. */
export function* textsIn(value: unknown, path: string): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, `${path}.${key}`);
}

/**
 * Path of a rendered field, with everything below it: names separated by dots, `*` for any name or index, such as
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

/** The rendered texts of a config or body, field by field. Throws nothing. */
export function* renderedTexts(value: unknown, fields: readonly RenderedField[]): Generator<Text> {
  for (const field of fields) yield* textsBelow(value, namesOf(field), '');
}

/** Maximum members visited per call. Chosen: more than any accepted body or config has besides its texts. */
const MAX_MEMBERS = 50_000;

/** What a walk skips, and how many members it may still visit: a host may pass anything, even a cycle. */
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
    // A key is never rendered.
    if (!isList && key.includes('{{')) yield { path: at, text: key };
    const below = fields.flatMap((names) =>
      names.length === 0 ? [names] : names[0] === ANY || names[0] === key ? [names.slice(1)] : [],
    );
    yield* unrendered(item, below, at, walk, level + 1);
  }
}

/**
 * Strings of a config or body that contain `{{` and are not rendered, in order: values outside the rendered fields, and
 * keys. Visits at most 50,000 members. Throws nothing.
 *
 * @param isElsewhere paths to skip, with everything below
 */
export const unrenderedTexts = (
  value: unknown,
  fields: readonly RenderedField[],
  isElsewhere: (path: string) => boolean = () => false,
): Generator<Text> => unrendered(value, fields.map(namesOf), '', { isElsewhere, left: MAX_MEMBERS });
