// The changes of a push of templates.

import type { Channel } from '@beckon/core';
import { filesOf } from './template-files.ts';
import type { Stored } from './template-folder.ts';
import { clean } from './text.ts';

/** A stored template. */
export type Kept = Stored & { readonly id: string; readonly version: number };
type Ref = { readonly channel: Channel; readonly name: string };

/** Lists are in input order. */
export type TemplatePlan = {
  readonly created: readonly Stored[];
  readonly updated: readonly { readonly before: Kept; readonly after: Stored; readonly fields: readonly string[] }[];
  readonly unchanged: readonly Kept[];
  /** Templates that are not in the folder. */
  readonly only: readonly Kept[];
};

const keyOf = ({ channel, name }: Ref): string => `${channel}/${name}`;

/** The same text for equal values, independent of key order. */
const textOf = (value: unknown, channel: Channel): string =>
  [...filesOf({ name: '', content: { value } }, channel)].map(([, text]) => text).join();

const changedFields = (before: Stored, after: Stored): string[] =>
  [...new Set([...Object.keys(before.content), ...Object.keys(after.content)])]
    .sort()
    .filter((field) => textOf(before.content[field], after.channel) !== textOf(after.content[field], after.channel));

/** Compares a folder with a project, by channel and name. Throws nothing. */
export const planOf = (folder: readonly Stored[], project: readonly Kept[]): TemplatePlan => {
  const there = new Map(project.map((one) => [keyOf(one), one]));
  const named = new Set(folder.map(keyOf));
  const pairs = folder.flatMap((after) => {
    const before = there.get(keyOf(after));
    return before ? [{ before, after, fields: changedFields(before, after) }] : [];
  });
  return {
    created: folder.filter((one) => !there.has(keyOf(one))),
    updated: pairs.filter(({ fields }) => fields.length > 0),
    unchanged: pairs.filter(({ fields }) => fields.length === 0).map(({ before }) => before),
    only: project.filter((one) => !named.has(keyOf(one))),
  };
};

/** True if a push would write. Throws nothing. */
export const isChange = ({ created, updated, only }: TemplatePlan, isPruned: boolean): boolean =>
  created.length + updated.length + (isPruned ? only.length : 0) > 0;

const shown = ({ channel, name }: Ref): string => `${channel}  ${clean(name)}`;

/** A plan as text. Throws nothing. */
export const planLines = ({ created, updated, unchanged, only }: TemplatePlan, isPruned: boolean): string[] => [
  ...created.map((one) => `+ create  ${shown(one)}`),
  ...updated.map(({ after, fields }) => `~ update  ${shown(after)}  ${clean(fields.join(', '))}`),
  ...(isPruned ? only.map((one) => `- remove  ${shown(one)}`) : []),
  ...unchanged.map((one) => `= same    ${shown(one)}`),
  `${created.length} to create, ${updated.length} to update, ${isPruned ? `${only.length} to remove, ` : ''}${unchanged.length} unchanged` +
    (isPruned || only.length === 0 ? '' : ` (${only.length} only in the project: kept)`),
];

/** A plan as data. Throws nothing. */
export const planData = ({ created, updated, unchanged, only }: TemplatePlan, isPruned: boolean) => {
  const ref = ({ channel, name }: Ref): Ref => ({ channel, name });
  return {
    created: created.map(ref),
    updated: updated.map(({ before, after, fields }) => ({
      ...ref(after),
      version: before.version + 1,
      changes: fields,
    })),
    unchanged: unchanged.map(ref),
    removed: isPruned ? only.map(ref) : [],
    kept: isPruned ? [] : only.map(ref),
  };
};
