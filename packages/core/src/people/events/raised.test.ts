import { describe, expect, it } from 'vitest';
import { scopeLike, testScope, testScopes } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import { type Committed, MAX_TRIES, type WriteSet } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { type BoundReaction, bindReaction, type Item } from './pipeline.ts';
import { raisedRegistration } from './raised.ts';
import { eventStatements } from './statements.ts';
import type { RaisedRow } from './tables.ts';

const clock = virtualClock('2026-03-01T10:00:00.000Z');
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const tables = tablesOf('sqlite');
const hot = eventStatements(tables);

const rowOf = (name: string, more: Partial<RaisedRow> = {}): Claimed<RaisedRow> => ({
  ...scopeOf(scope),
  id: derivedId(clock.now(), name),
  person: `u:${name}`,
  module: 'push',
  eventType: 'push.opened',
  properties: { name },
  depth: 2,
  runBudget: 7,
  budgetRunId: null,
  raisedAt: clock.now(),
  dueAt: clock.now(),
  leaseUntil: null,
  fence: 7,
  ...more,
});
const tagOf = (row: RaisedRow): string => `raised:${row.scopeId}/${row.id}`;

const queueOf = (answers: readonly Committed[]) => {
  const plans: WriteSet[] = [];
  const loaded: { readonly items: readonly Item[]; readonly isFirstTry: boolean }[] = [];
  const watching: BoundReaction = bindReaction({
    name: 'watching',
    load: async (items, { isFirstTry }) => {
      loaded.push({ items, isFirstTry });
    },
    plan: (draft) => {
      draft.wakes.add('woken');
    },
  });
  const storage = {
    commit: async (plan: WriteSet): Promise<Committed> => {
      plans.push(plan);
      return answers[plans.length - 1] ?? { ok: true };
    },
  };
  const work = raisedRegistration({ storage, tables, hot, clock, scopes: testScopes, reactions: [watching] });
  const ended = () =>
    plans.map(({ writes }) => writes.filter(({ bulk }) => bulk === hot.endRaised).map(({ row }) => row['id']));
  return { work, plans, loaded, ended };
};

describe('the queue of raised events', () => {
  it('a due row is passed to the reactions and deleted under its fence in the same commit', async () => {
    const { work, plans, loaded } = queueOf([]);
    const prod = scopeLike(scope, { environment: 'prod' });
    const rows = [rowOf('ann'), rowOf('a1', { person: 'a:a1', scopeId: prod.scopeId })];
    await work.commit(rows);
    expect(loaded[0]?.items).toMatchObject([
      { kind: 'raised', scope, id: rows[0]?.id, userId: 'ann', anonymousId: null, eventType: 'push.opened', depth: 2 },
      { kind: 'raised', scope: prod, userId: null, anonymousId: 'a1', properties: { name: 'a1' } },
    ]);
    expect(plans).toHaveLength(1);
    expect(plans[0]?.wakes).toEqual(['woken']);
    expect(plans[0]?.writes.map(({ bulk, row }) => [bulk.id, row])).toEqual(
      rows.map(({ scopeId, id, fence }) => ['events.end_raised', { scopeId, id, fence }]),
    );
  });

  it('rows claimed by another worker are left to it, and the others proceed', async () => {
    const [lost, kept] = [rowOf('lost'), rowOf('kept')];
    const { work, ended } = queueOf([{ ok: false, failed: new Set([tagOf(lost)]) }]);
    await work.commit([lost, kept]);
    expect(ended()).toEqual([[lost.id, kept.id], [kept.id]]);
  });

  it('a failed guard repeats the reads; permanent conflicts throw', async () => {
    const changed: Committed = { ok: false, failed: new Set(['somebody']) };
    const { work, loaded, ended } = queueOf([changed]);
    const row = rowOf('ann');
    await work.commit([row]);
    expect(ended()).toEqual([[row.id], [row.id]]);
    expect(loaded.map(({ isFirstTry }) => isFirstTry)).toEqual([true, false]);
    const never = queueOf(Array.from({ length: 2 * MAX_TRIES }, () => changed));
    await expect(never.work.commit([row])).rejects.toThrow('change faster');
  });

  it('a row that can never be processed is deleted', async () => {
    const { work, ended, loaded } = queueOf([]);
    const row = rowOf('ann');
    await work.deadLetter(row, 'threw');
    expect(ended()).toEqual([[row.id]]);
    expect(loaded).toEqual([]);
  });
});
