import { describe, expect, it } from 'vitest';
import type { SelectKey } from '../../database/statements/bulk.ts';
import { utf8Bytes } from '../../foundation/json.ts';
import { personTag } from '../events/pipeline.ts';
import { MAX_CHANGING_BYTES, readWhole, SLICE } from './read-whole.ts';
import type { ProfileView } from './view.ts';

const scopeId = 1;
const tagOf = (person: string): string => personTag({ scopeId }, person);

/** Profiles by bytes of traits; each is needed and changed by one item unless specified otherwise. */
const over = (bytes: readonly number[], { needed, changed }: { needed?: number[][]; changed?: number[] } = {}) => {
  const people = bytes.map((_, at) => `u:${at}`);
  const reads: number[] = [];
  const select = async (keys: readonly SelectKey[]): Promise<ProfileView[]> => {
    reads.push(keys.length);
    return keys.map(([, person]) => {
      const wanted = bytes[Number(`${person}`.slice(2))] ?? 0;
      const traits = { a: 'x'.repeat(wanted - utf8Bytes({ a: '' })) };
      const none = { email: null, phone: null, locale: null, timezone: null };
      const at = new Date(0);
      return {
        scopeId,
        person: `${person}`,
        traits,
        version: 1,
        isTruncated: false,
        ...none,
        createdAt: at,
        lastSeenAt: at,
      };
    });
  };
  const tags = people.map(tagOf);
  const each = (ats: readonly number[]): string[] => ats.map((at) => tags[at] ?? '');
  const wanted = {
    full: new Map(people.map((person): [string, SelectKey] => [tagOf(person), [scopeId, person]])),
    needed: needed ? needed.map(each) : tags.map((tag) => [tag]),
    changed: new Set(changed ? each(changed) : tags),
  };
  return { reads, read: () => readWhole(select, wanted) };
};
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const FULL = 64 * 1_024;
const FIT = MAX_CHANGING_BYTES / FULL;

describe('readWhole', () => {
  it('small profiles are all read and fit one commit', async () => {
    const { read, reads } = over(times(100, 20));
    const { rows, share } = await read();
    expect([rows.length, share]).toEqual([100, 100]);
    expect(reads).toEqual([...times(12, SLICE), 100 - 12 * SLICE]);
  });

  it('a commit has at most 256 KB of changed profiles, and reading stops there', async () => {
    const { read, reads } = over(times(100, FULL));
    expect((await read()).share).toBe(FIT);
    expect(reads).toEqual([SLICE]);
  });

  it('exactly 256 KB fit one commit', async () => {
    expect((await over(times(FIT, FULL)).read()).share).toBe(FIT);
    expect((await over([...times(FIT, FULL), 10]).read()).share).toBe(FIT);
  });

  it('a commit has at least one item', async () => {
    expect((await over([MAX_CHANGING_BYTES + 1, 10]).read()).share).toBe(1);
  });

  it('a profile changed by several items counts once', async () => {
    const needed = [...times(50, [0]), ...Array.from({ length: FIT }, (_, at) => [at + 1])];
    expect((await over(times(FIT + 1, FULL), { needed }).read()).share).toBe(50 + FIT - 1);
  });

  it('profiles that nothing changes do not count', async () => {
    expect((await over(times(20, FULL), { changed: [0] }).read()).share).toBe(20);
  });

  it('a commit ends before an item whose profiles were not read', async () => {
    // Needed by an early item but last in read order.
    const count = SLICE + 1;
    const needed = [[0], [count - 1], ...Array.from({ length: count - 2 }, (_, at) => [at + 1])];
    expect((await over(times(count, FULL / 4), { needed }).read()).share).toBe(count);
    expect((await over(times(count, FULL), { needed }).read()).share).toBe(1);
  });

  it('the event loop turns between two reads', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
    };
    for (let at = 0; at < 20; at += 1) setImmediate(count);
    const { read } = over(times(4 * SLICE, 20));
    const before = turns;
    await read();
    expect(turns).toBeGreaterThan(before);
  });
});
