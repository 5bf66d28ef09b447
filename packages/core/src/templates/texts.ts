/** A text of a value, and the dotted path to it. */
export type Text = { readonly path: string; readonly text: string };

/** The strings of a value at any depth, in its order; keys are no texts. Throws nothing. */
export function* textsIn(value: unknown, path: string): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, `${path}.${key}`);
}
