import type { ExitReason } from './schema.ts';

/*
 * A run's cursor is a path of step indexes and arm keys, such as `3.else.0`. Arms use their key and not the author's
 * name, because a name may contain dots.
 */

/** A stored step. */
export type StoredStep = {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly delayMinutes?: number | undefined;
};

/** A list of steps within a step. */
export type Arm = {
  /** Key in a path: an index, or a word such as `else`. Must not contain dots. */
  readonly key: string;
  /** Path of the list in the step's config: names and indexes joined by dots, such as `branches.0.steps`. */
  readonly at: string;
  readonly steps: readonly StoredStep[];
  /** Why a run ends after this list; absent: it continues after the step. */
  readonly exit?: ExitReason;
};

/** Arms of a step; empty for most types and for types of a newer program. */
export type ArmsOf = (step: StoredStep) => readonly Arm[];

type Steps = readonly StoredStep[];

/** Path of a run's first step. */
export const FIRST_PATH = '0';

/** Step at a path; null if there is none. Throws nothing. */
export const stepAt = (steps: Steps, path: string, armsOf: ArmsOf): StoredStep | null => {
  // Most workflows have no arms, and each step of a run calls this several times.
  const [index = '', key, ...rest] = path.includes('.') ? path.split('.') : [path];
  const step = /^\d+$/.test(index) ? steps[Number(index)] : undefined;
  if (!step || key === undefined) return step ?? null;
  const arm = armsOf(step).find((one) => one.key === key);
  return arm ? stepAt(arm.steps, rest.join('.'), armsOf) : null;
};

/** Why a run ends after the arm at this path; null: it continues. */
const exitOf = (steps: Steps, parts: readonly string[], armsOf: ArmsOf): ExitReason | null => {
  const step = stepAt(steps, parts.slice(0, -1).join('.'), armsOf);
  return (step && armsOf(step).find(({ key }) => key === parts.at(-1))?.exit) ?? null;
};

/**
 * The path after a step: its next sibling, else the step after the enclosing step, and so on; null at the end, or at
 * the end of an arm that ends the run. Throws nothing.
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
 * Why a run without a next step ends: the exit reason of the innermost arm; null: all steps are done. Throws nothing.
 *
 * @param path of a step or of an arm
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
 * The first path in an arm of the step at `path`; if the arm is empty, the path after the step. Null as for
 * `pathAfter`.
 *
 * @throws TypeError for an unknown arm, or if its key contains a dot
 */
export const pathInto = (steps: Steps, path: string, key: string, armsOf: ArmsOf): string | null => {
  const step = stepAt(steps, path, armsOf);
  const arm = step && armsOf(step).find((one) => one.key === key);
  if (!arm || key.includes('.')) throw new TypeError(`a step of type ${step?.type} has no arm ${key}`);
  if (arm.steps.length > 0) return `${path}.${key}.${FIRST_PATH}`;
  return arm.exit === undefined ? pathAfter(steps, path, armsOf) : null;
};

/** All steps with their paths; nested ones follow the step that contains them. Throws nothing. */
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

/** Compares paths in the order of the definition. Throws nothing. */
export const comparePaths = (a: string, b: string): number => {
  const [left, right] = [a.split('.'), b.split('.')];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at === -1) return left.length - right.length;
  return comparePart(left[at] ?? '', right[at] ?? '');
};
