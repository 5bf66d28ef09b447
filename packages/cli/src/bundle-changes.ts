// The changes of an import as text.

import type { Answer } from './api.ts';
import { isObject } from './is-object.ts';
import { clean } from './text.ts';

/** Maximum characters of a value. Chosen: two values and a path fit one or two lines. */
const MAX_VALUE = 40;

/** The part of a workflow that this file reads; a bundle may hold anything else. */
type Named = { readonly name: string; readonly steps: readonly unknown[]; readonly isActive: boolean };
type Sides = { readonly before: readonly Named[]; readonly after: readonly Named[]; readonly kept: number };

const valueAt = (from: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        Array.isArray(value)
          ? value[Number(name)]
          : isObject(value) && Object.hasOwn(value, name)
            ? value[name]
            : undefined,
      from,
    );

const shown = (value: unknown): string => {
  const text = clean(JSON.stringify(value) ?? 'not set');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1).toWellFormed()}…` : text;
};

/** Lines of a plan: created, updated with each changed field, and unchanged workflows. Throws nothing. */
export const changeLines = (
  plan: Answer<'POST /automation/workflows/import'>,
  { before, after, kept }: Sides,
): string[] => {
  const { created, updated, unchanged, warnings } = plan;
  const of = (side: readonly Named[], name: string) => side.find((one) => one.name === name);
  const added = created.map(({ name }) => {
    const { steps = [], isActive = false } = of(after, name) ?? {};
    const count = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
    return `+ create  ${clean(name)}  ${count}  ${isActive ? 'active' : 'inactive'}`;
  });
  const changed = updated.flatMap(({ name, changes }) => [
    `~ update  ${clean(name)}`,
    ...changes.map((path) => {
      const [was, is] = [valueAt(of(before, name), path), valueAt(of(after, name), path)];
      return `            ${clean(path)}: ${shown(was)} -> ${shown(is)}`;
    }),
  ]);
  const only = kept === 0 ? '' : ` (${kept} ${kept === 1 ? 'workflow' : 'workflows'} only in the database: kept)`;
  return [
    ...added,
    ...changed,
    ...unchanged.map(({ name }) => `= same    ${clean(name)}`),
    ...warnings.map(({ name, path, message }) => `! ${clean(name)} ${clean(path)}: ${clean(message)}`),
    `${created.length} to create, ${updated.length} to update, ${unchanged.length} unchanged${only}`,
  ];
};
