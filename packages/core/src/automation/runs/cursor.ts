import type { ExitReason } from './schema.ts';

/*
 * A run's cursor is a path through steps that may hold steps: index, arm, index, ... such as `3.else.0`. An arm stands
 * in it by its key, never by a name that its author chose: a name may hold dots, a key does not.
 */

/** A step as it is stored. */
export type StoredStep = {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly delayMinutes?: number | undefined;
};

/** A list of steps within a step. */
export type Arm = {
  /** Its name in a path: the index among its like, or a word such as `else`. No dots. */
  readonly key: string;
  /** Where the list stands in the step's config: names and indexes with dots between them, `branches.0.steps`. */
  readonly at: string;
  readonly steps: readonly StoredStep[];
  /** Why a run ends behind this list; absent: it goes on behind the step. */
  readonly exit?: ExitReason;
};

/** Arms of a step; none for most types, and for one of a newer program. */
export type ArmsOf = (step: StoredStep) => readonly Arm[];

type Steps = readonly StoredStep[];

/** The path of a run's first step. */
export const FIRST_PATH = '0';

/** The step at a path; null where there is none. Throws nothing. */
export const stepAt = (steps: Steps, path: string, armsOf: ArmsOf): StoredStep | null => {
  // Most workflows have no arms, and each step of a run looks here several times.
  const [index = '', key, ...rest] = path.includes('.') ? path.split('.') : [path];
  const step = /^\d+$/.test(index) ? steps[Number(index)] : undefined;
  if (!step || key === undefined) return step ?? null;
  const arm = armsOf(step).find((one) => one.key === key);
  return arm ? stepAt(arm.steps, rest.join('.'), armsOf) : null;
};

/** Why a run ends behind the arm at these parts of a path, a step's and the arm's key; null: it does not. */
const exitOf = (steps: Steps, parts: readonly string[], armsOf: ArmsOf): ExitReason | null => {
  const step = stepAt(steps, parts.slice(0, -1).join('.'), armsOf);
  return (step && armsOf(step).find(({ key }) => key === parts.at(-1))?.exit) ?? null;
};

/**
 * The path behind a step's: its sibling, else what stands behind the step that holds its list, and so on up; null at
 * the end, and at that of an arm that leaves the run. Throws nothing.
 */
export const pathAfter = (steps: Steps, path: string, armsOf: ArmsOf): string | null => {
  const parts = path.split('.');
  while (parts.length > 0) {
    const sibling = String(Number(parts.pop()) + 1);
    const next = [...parts, sibling].join('.');
    if (stepAt(steps, next, armsOf)) return next;
    if (exitOf(steps, parts, armsOf) !== null) return null;
    parts.pop();
  }
  return null;
};

/**
 * Why a run ends that has nothing behind it: as the innermost arm around its place says; null: its steps are over.
 * Throws nothing.
 *
 * @param path of a step, or of an arm of one
 */
export const exitAt = (steps: Steps, path: string, armsOf: ArmsOf): ExitReason | null => {
  const parts = path.split('.');
  for (let length = parts.length - (parts.length % 2); length > 0; length -= 2) {
    const exit = exitOf(steps, parts.slice(0, length), armsOf);
    if (exit !== null) return exit;
  }
  return null;
};

/**
 * The first path within an arm of the step at `path`, and, where that arm is empty, the path behind the step; null as of
 * `pathAfter`.
 *
 * @throws TypeError for an arm that the step does not have, or whose key holds a dot
 */
export const pathInto = (steps: Steps, path: string, key: string, armsOf: ArmsOf): string | null => {
  const step = stepAt(steps, path, armsOf);
  const arm = step && armsOf(step).find((one) => one.key === key);
  if (!arm || key.includes('.')) throw new TypeError(`a step of type ${step?.type} has no arm ${key}`);
  if (arm.steps.length > 0) return `${path}.${key}.${FIRST_PATH}`;
  return arm.exit === undefined ? pathAfter(steps, path, armsOf) : null;
};

/** Every step with its path, those within steps behind the one that holds them. Throws nothing. */
export const stepsWithPaths = (
  steps: Steps,
  armsOf: ArmsOf,
  prefix = '',
): (readonly [path: string, step: StoredStep])[] =>
  steps.flatMap((step, index): (readonly [string, StoredStep])[] => {
    const path = `${prefix}${index}`;
    return [[path, step], ...armsOf(step).flatMap((arm) => stepsWithPaths(arm.steps, armsOf, `${path}.${arm.key}.`))];
  });

const comparePart = (a: string, b: string): number => {
  const byNumber = Number(a) - Number(b);
  if (!Number.isNaN(byNumber)) return byNumber;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Orders paths as their steps stand in the definition, indexes by their number. Throws nothing. */
export const comparePaths = (a: string, b: string): number => {
  const [left, right] = [a.split('.'), b.split('.')];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at === -1) return left.length - right.length;
  return comparePart(left[at] ?? '', right[at] ?? '');
};
