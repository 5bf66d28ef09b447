import { describe, expect, it } from 'vitest';
import { commitInParts, commitPlanned } from './commit-planned.ts';
import { type Committed, MAX_TRIES, type Write, type WriteSet } from './write-set.ts';

/** A storage whose commits fail with these tags, one set per commit, and then succeed. */
const failing = (...tags: readonly string[][]) => {
  const plans: WriteSet[] = [];
  const commit = async (plan: WriteSet): Promise<Committed> => {
    const failed = tags[plans.length];
    plans.push(plan);
    return failed ? { ok: false, failed: new Set(failed) } : { ok: true };
  };
  return { plans, commit };
};
// Safe: only the tag of a write is read here.
const tagged = (tag: string): Write => ({ tag }) as Write;
const isLost = (item: string, failed: ReadonlySet<string>): boolean => failed.has(item);

describe('commitPlanned', () => {
  it('commitPlanned plans the remaining items again from new reads until every guard passes', async () => {
    const storage = failing(['b'], ['d']);
    const seen: string[][] = [];
    const told: string[][] = [];
    const plan = async (items: readonly string[], failed: ReadonlySet<string>) => {
      seen.push([...items]);
      told.push([...failed]);
      return { writes: items.map(tagged), number: seen.length };
    };
    expect(await commitPlanned(storage, ['a', 'b', 'c', 'd'], { plan, isLost })).toMatchObject({
      ok: true,
      plan: { number: 3 },
    });
    expect(seen).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'c', 'd'],
      ['a', 'c'],
    ]);
    expect(told).toEqual([[], ['b'], ['d']]);
  });

  it('commitPlanned returns no plan once every item is lost', async () => {
    const storage = failing(['a', 'b']);
    const plan = async (items: readonly string[]) => ({ writes: items.map(tagged) });
    expect(await commitPlanned(storage, ['a', 'b'], { plan, isLost })).toEqual({ ok: true, plan: null });
    expect(storage.plans).toHaveLength(1);
    expect(await commitPlanned(storage, [], { plan, isLost })).toEqual({ ok: true, plan: null });
  });

  it('commitPlanned does not commit a plan without writes', async () => {
    const storage = failing();
    const plan = async () => ({ writes: [] });
    expect(await commitPlanned(storage, ['a'], { plan })).toEqual({ ok: true, plan: { writes: [] } });
    expect(storage.plans).toEqual([]);
  });

  it('commitPlanned stops after five plans in a row without progress and returns the last failed guards', async () => {
    const storage = failing(...Array.from({ length: 10 }, (_, at) => [`other${at}`]));
    const plan = async (items: readonly string[]) => ({ writes: items.map(tagged) });
    const result = await commitPlanned(storage, ['a'], { plan, isLost });
    expect(result).toMatchObject({ ok: false, failed: new Set([`other${MAX_TRIES - 1}`]) });
    expect(storage.plans).toHaveLength(MAX_TRIES);
  });

  it('commitPlanned continues only while items are lost or the open count decreases', async () => {
    const items = Array.from({ length: 12 }, (_, at) => `i${at}`);
    const losing = failing(...items.map((item) => [item]));
    const plan = async (left: readonly string[]) => ({ writes: left.map(tagged) });
    expect(await commitPlanned(losing, items, { plan, isLost })).toMatchObject({ ok: true });
    expect(losing.plans).toHaveLength(12);
    const shrinking = failing(...Array.from({ length: 100 }, () => ['x']));
    let open = 10;
    const counted = async () => {
      open = Math.max(open - 1, 0);
      return { writes: [tagged('x')], open };
    };
    const result = await commitPlanned(shrinking, ['a'], { plan: counted, open: (one) => one.open });
    expect(result.ok).toBe(false);
    // Ten plans with progress, then four without.
    expect(shrinking.plans).toHaveLength(10 + MAX_TRIES - 1);
  });
});

describe('commitInParts', () => {
  const items = Array.from({ length: 7 }, (_, at) => `i${at}`);
  const written = (plans: readonly WriteSet[]): string[][] => plans.map(({ writes }) => writes.map(({ tag }) => tag));
  const threeAtMost = async (some: readonly string[]) => ({
    writes: some.slice(0, 3).map(tagged),
    rest: some.slice(3),
  });

  it('commitInParts commits the items of each plan until none is left', async () => {
    const storage = failing();
    const heard: number[] = [];
    const isDone = await commitInParts(storage, items, { plan: threeAtMost }, ({ rest }) => heard.push(rest.length));
    expect(isDone).toBe(true);
    expect(written(storage.plans)).toEqual([['i0', 'i1', 'i2'], ['i3', 'i4', 'i5'], ['i6']]);
    expect(heard).toHaveLength(3);
  });

  it('commitInParts plans no more items than a commit takes', async () => {
    let planned = 0;
    const many = Array.from({ length: 300 }, (_, at) => `i${at}`);
    const plan = async (some: readonly string[]) => {
      planned += some.length;
      return threeAtMost(some);
    };
    expect(await commitInParts(failing(), many, { plan })).toBe(true);
    expect(planned).toBeLessThan(3 * many.length);
  });

  it('commitInParts leaves out lost items, and returns false if guards keep failing', async () => {
    const losing = failing(['i1']);
    expect(await commitInParts(losing, items, { plan: threeAtMost, isLost })).toBe(true);
    expect(written(losing.plans).slice(1).flat()).toEqual(items.filter((item) => item !== 'i1'));
    const stuck = failing(...Array.from({ length: 10 }, () => ['x']));
    expect(await commitInParts(stuck, items, { plan: threeAtMost, isLost })).toBe(false);
  });
});
