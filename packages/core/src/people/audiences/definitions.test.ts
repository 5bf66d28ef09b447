import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { InScope } from '../../foundation/scope.ts';
import { audienceDefinitions } from './definitions.ts';
import type { Predicate } from './predicate/types.ts';

const scopeNamed = (projectId: string): InScope => testScope({ orgId: 'definitions', projectId, environment: 'prod' });
const ZONED = { trait: 'day', op: 'before', value: '2026-03-02', timezone: 'org' } as const;
const PLAIN: Predicate = { trait: 'plan', op: 'eq', value: 'pro' };

/** Definitions with one audience per scope; `reads` has the scopes of each read of zones. */
const definitionsOf = (predicates: ReadonlyMap<number, Predicate>) => {
  const reads: (readonly number[])[] = [];
  const zones = new Map<number, string>();
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const rowOf = (scopeId: number) => {
    const row = { scopeId, id: `audience ${scopeId}`, name: 'A', kind: 'dynamic', version: 1, stage: null };
    return { ...row, predicate: predicates.get(scopeId) };
  };
  const definitions = audienceDefinitions({
    storage: unchecked({
      select: async (_: unknown, keys: readonly (readonly number[])[]) => keys.map(([scopeId = 0]) => rowOf(scopeId)),
      outsideTransaction: <T>(work: () => T): T => work(),
      wake: { subscribe: () => () => undefined, signal: () => undefined },
    }),
    hot: unchecked({}),
    clock,
    loadOrgZones: async (scopes) => {
      reads.push(scopes.map(({ scopeId }) => scopeId));
      return ({ scopeId }) => zones.get(scopeId) ?? null;
    },
  });
  return { definitions, reads, zones, clock };
};

describe('cached audience definitions', () => {
  const [plain, first, second] = [scopeNamed('plain'), scopeNamed('first'), scopeNamed('second')];
  const predicates = new Map<number, Predicate>([
    [plain.scopeId, PLAIN],
    [first.scopeId, ZONED],
    [second.scopeId, ZONED],
  ]);

  it('zones are read once for all scopes that need them, and for no others', async () => {
    const { definitions, reads, clock } = definitionsOf(predicates);
    await definitions.load([plain]);
    expect(reads).toEqual([]);
    clock.advance(2_000);
    await definitions.load([first, plain, second]);
    await definitions.load([first, plain, second]);
    expect(reads).toEqual([[first.scopeId, second.scopeId]]);
    expect(await definitions.resolve(plain, PLAIN)).toBe(PLAIN);
    expect(reads).toHaveLength(1);
  });

  it('a changed zone applies after the next read, and an unchanged one rebuilds nothing', async () => {
    const { definitions, zones } = definitionsOf(predicates);
    const load = async (isUrgent: boolean) => (await definitions.load([first], isUrgent))(first);
    const zoneOf = ({ dynamic: [audience] }: Awaited<ReturnType<typeof load>>) => audience?.predicate;
    zones.set(first.scopeId, 'Asia/Tokyo');
    const before = await load(false);
    expect(zoneOf(before)).toEqual({ ...ZONED, timezone: 'Asia/Tokyo' });
    expect(before.dynamic[0]?.stored).toEqual(ZONED);
    expect(await load(true)).toBe(before);
    zones.set(first.scopeId, 'Europe/Paris');
    expect(zoneOf(await load(false))).toEqual({ ...ZONED, timezone: 'Asia/Tokyo' });
    definitions.changed();
    expect(zoneOf(await load(false))).toEqual({ ...ZONED, timezone: 'Europe/Paris' });
    zones.delete(first.scopeId);
    expect(zoneOf(await load(true))).toEqual({ ...ZONED, timezone: 'UTC' });
  });
});
