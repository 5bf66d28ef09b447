import type { ArmsOf, StoredStep } from '../cursor.ts';

/** A step at its position in the definition. */
export type Visit = {
  readonly step: StoredStep;
  /** Path of names and indexes, such as `steps.3.config.else.steps.0`. */
  readonly path: string;
  /** Outputs that earlier steps may have saved: path of the step by name. */
  readonly saved: ReadonlyMap<string, string>;
};

/**
 * Visits the steps of a list in the order of the definition, nested ones after the step that contains them. A run takes
 * one arm only, so an arm does not see the outputs of another; later steps see the outputs of all arms except those
 * that end the run. Throws nothing.
 *
 * @returns outputs saved after the list
 */
export function* walkSteps(
  steps: readonly StoredStep[],
  path: string,
  armsOf: ArmsOf,
  before: ReadonlyMap<string, string> = new Map(),
): Generator<Visit, ReadonlyMap<string, string>> {
  const saved = new Map(before);
  for (const [index, step] of steps.entries()) {
    const at = path === '' ? String(index) : `${path}.${index}`;
    yield { step, path: at, saved: new Map(saved) };
    const { saveAs } = step.config;
    if (typeof saveAs === 'string' && !saved.has(saveAs)) saved.set(saveAs, at);
    const continuing: ReadonlyMap<string, string>[] = [];
    for (const arm of armsOf(step)) {
      const inArm = yield* walkSteps(arm.steps, `${at}.config.${arm.at}`, armsOf, saved);
      if (arm.exit === undefined) continuing.push(inArm);
    }
    for (const inArm of continuing) for (const [name, by] of inArm) if (!saved.has(name)) saved.set(name, by);
  }
  return saved;
}
