import type { ArmsOf, StoredStep } from '../cursor.ts';

/** A step where a run may come to it. */
export type Visit = {
  readonly step: StoredStep;
  /** Names and indexes with dots between them, `steps.3.config.else.steps.0`. */
  readonly path: string;
  /** What steps that a run may have done before have saved: paths of those steps by the name. */
  readonly saved: ReadonlyMap<string, string>;
};

/**
 * The steps of a list, those within them behind them, as the definition shows them. Of arms beside each other a run
 * takes one, so none of them sees what another saves; what stands behind them sees what any of them does, but one that
 * leaves the run. Throws nothing.
 *
 * @returns what is saved behind the list
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
