import { describe, expect, it, vi } from 'vitest';
import { rowId } from '../../test/row-ids.ts';
import { testScope } from '../../test/scopes.ts';
import { unchecked } from '../../test/unchecked.ts';
import { virtualClock } from '../primitives/clock.ts';
import type { Claimed } from '../storage/claim.ts';
import type { WriteSet } from '../storage/write-set.ts';
import { tablesOf } from '../tables.ts';
import { aiHot } from './hot.ts';
import { aiRegistration, MAX_PER_ORG } from './queue.ts';
import type { AiCallRow } from './store.ts';

const clock = virtualClock('2026-03-01T10:00:00.000Z');
const tables = tablesOf('sqlite');
const call: Claimed<AiCallRow> = {
  scopeId: 1,
  id: rowId('call'),
  runId: rowId('run'),
  path: '0',
  attempt: 1,
  tries: 0,
  dueAt: clock.now(),
  leaseUntil: clock.now(),
  fence: 1,
};

describe('the queue of steps that wait for a model', () => {
  it('asks nobody for a run that waits no more, and tells it nothing', async () => {
    const committed: WriteSet[] = [];
    const ask = vi.fn();
    const tell = vi.fn();
    const queue = aiRegistration({
      storage: {
        commit: async (plan) => {
          committed.push(plan);
          return { ok: true };
        },
      },
      tables,
      hot: aiHot(tables),
      clock,
      ask,
      tasksOf: async () => new Map(),
      tell,
      wakes: ['runs'],
    });
    const ended: Parameters<typeof queue.commit>[0][number][] = [];
    await queue.process([call], (_, outcome) => ended.push(outcome), { signal: new AbortController().signal });
    await queue.commit(ended);
    expect(committed.flatMap(({ writes }) => writes.map(({ bulk }) => bulk.id))).toEqual(['ai.end']);
    expect(ask).not.toHaveBeenCalled();
    expect(tell).not.toHaveBeenCalled();
  });

  it('asks for one org its share of calls at once, puts off the others, and asks for other orgs meanwhile', async () => {
    let finish = (): void => undefined;
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const asked: string[] = [];
    const queue = aiRegistration({
      storage: { commit: async () => ({ ok: true }) },
      tables,
      hot: aiHot(tables),
      clock,
      ask: async (orgId) => {
        asked.push(orgId);
        await isFinished;
        return { kind: 'unavailable', reason: 'no_answer', output: null, usage: null };
      },
      tasksOf: async (steps) =>
        new Map(
          steps.map((step) => {
            const scope = testScope({ orgId: `org ${step.scopeId}`, projectId: 'p', environment: 'test' });
            return [step, { scope, task: unchecked({}) }];
          }),
        ),
      tell: vi.fn(),
      wakes: [],
    });
    const calls = (org: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...call, scopeId: org, id: rowId(`call ${org} ${at}`) }));
    const ended: { readonly id: string; readonly kind: string | undefined; readonly at: Date | null }[] = [];
    const { signal } = new AbortController();
    const take = (rows: readonly Claimed<AiCallRow>[]) =>
      queue.process(
        rows,
        ({ id }, outcome) => ended.push({ id, kind: outcome?.kind, at: outcome?.kind === 'again' ? outcome.at : null }),
        { signal },
      );
    const working = take([...calls(1, MAX_PER_ORG + 2), ...calls(2, 1)]);
    await vi.waitFor(() => expect(asked).toHaveLength(MAX_PER_ORG + 1));
    expect(asked.filter((orgId) => orgId === 'org 1')).toHaveLength(MAX_PER_ORG);
    const later = new Date(clock.now().getTime() + 2_000);
    expect(ended).toEqual(
      calls(1, MAX_PER_ORG + 2)
        .slice(MAX_PER_ORG)
        .map(({ id }) => ({ id, kind: 'again', at: later })),
    );
    finish();
    await working;
    expect(ended.filter(({ kind }) => kind === 'told')).toHaveLength(MAX_PER_ORG + 1);
    await take(calls(1, 1));
    expect(asked).toHaveLength(MAX_PER_ORG + 2);
  });
});
