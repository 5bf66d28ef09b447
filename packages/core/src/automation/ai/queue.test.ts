import { describe, expect, it, vi } from 'vitest';
import { breathe } from '../../../test/support/database/contract-database.ts';
import { processContext } from '../../../test/support/jobs/process-context.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import type { WriteSet } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { aiRegistration, MAX_PER_ORG } from './queue.ts';
import { aiStatements } from './statements.ts';
import type { AiCallRow } from './store.ts';
import type { AiTask } from './task.ts';

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

describe('the queue of model calls', () => {
  it('a run that no longer waits causes no call and gets no result', async () => {
    const committed: WriteSet[] = [];
    const ask = vi.fn();
    const resume = vi.fn();
    const storage = {
      commit: async (plan: WriteSet) => {
        committed.push(plan);
        return { ok: true } as const;
      },
    };
    const context = { storage, tables, clock, statements: aiStatements(tables) };
    const queue = aiRegistration(context, ask, { tasksOf: async () => new Map(), resume, wakes: ['runs'] });
    const ended: Parameters<typeof queue.commit>[0][number][] = [];
    await queue.process([call], (_, outcome) => ended.push(outcome), processContext());
    await queue.commit(ended);
    expect(committed.flatMap(({ writes }) => writes.map(({ bulk }) => bulk.id))).toEqual(['ai.end']);
    expect(ask).not.toHaveBeenCalled();
    expect(resume).not.toHaveBeenCalled();
  });

  it('one org has a limited number of concurrent calls, and the others are delayed without using a try', async () => {
    const task: AiTask = {
      ...{ flavor: 'generate', instruction: 'Say hello.', data: {}, model: null, temperature: null },
      maxOutputTokens: 10,
    };
    const scopes = new Map(
      [1, 2].map((at) => [at, testScope({ orgId: `ai-${at}`, projectId: 'p', environment: 'prod' })]),
    );
    const scopeAt = (scopeId: number) => {
      const scope = scopes.get(scopeId);
      if (!scope) throw new Error('there is no such scope');
      return scope;
    };
    const asked: string[] = [];
    const held = new Map<string, () => void>();
    const storage = { commit: async () => ({ ok: true }) as const };
    const queue = aiRegistration(
      { storage, tables, clock, statements: aiStatements(tables) },
      async (orgId) => {
        const name = `${orgId} ${asked.filter((one) => one.startsWith(orgId)).length}`;
        asked.push(name);
        await new Promise<void>((resolve) => held.set(name, resolve));
        if (name.endsWith(' 1')) throw new Error('the provider hung up');
        return { kind: 'later', at: clock.now() };
      },
      {
        tasksOf: async (steps) => new Map(steps.map((step) => [step, { scope: scopeAt(step.scopeId), task }])),
        resume: vi.fn(),
        wakes: [],
      },
    );
    const ended: string[] = [];
    const calls = (scopeId: number, count: number, of: string) =>
      Array.from({ length: count }, (_, at) => ({ ...call, scopeId, id: rowId(`${of}${at}`), tries: 3 }));
    const process = (rows: readonly Claimed<AiCallRow>[]) =>
      queue.process(
        rows,
        (_, outcome) => {
          if (outcome.kind === 'again') ended.push(`${outcome.at.getTime() - clock.now().getTime()} ${outcome.tries}`);
        },
        processContext(),
      );
    const first = process([...calls(1, MAX_PER_ORG + 2, 'a'), ...calls(2, 1, 'b')]);
    await vi.waitFor(() => expect(held.size).toBe(MAX_PER_ORG + 1));
    expect(asked.filter((one) => one.startsWith('ai-1'))).toHaveLength(MAX_PER_ORG);
    expect(asked.at(-1)).toBe('ai-2 0');
    expect(ended).toEqual(['2000 3', '2000 3']);
    // An ended call frees one permit, even if it failed; another claim of the org gets exactly that one.
    held.get('ai-1 1')?.();
    await breathe();
    const second = process(calls(1, 2, 'c'));
    await breathe();
    expect(asked.filter((one) => one.startsWith('ai-1'))).toHaveLength(MAX_PER_ORG + 1);
    expect(ended).toEqual(['2000 3', '2000 3', '2000 3']);
    for (const end of held.values()) end();
    await expect(first).rejects.toThrow('the provider hung up');
    await second;
    // All permits are free again.
    const third = process(calls(1, MAX_PER_ORG, 'd'));
    await breathe();
    expect(asked.filter((one) => one.startsWith('ai-1'))).toHaveLength(2 * MAX_PER_ORG + 1);
    for (const end of held.values()) end();
    await third;
  });

  it('calls that have not started are returned when the worker stops', async () => {
    const ask = vi.fn();
    const giveBack = vi.fn();
    const storage = { commit: async () => ({ ok: true }) as const };
    const context = { storage, tables, clock, statements: aiStatements(tables) };
    const queue = aiRegistration(context, ask, { tasksOf: async () => new Map(), resume: vi.fn(), wakes: [] });
    const done = vi.fn();
    await queue.process([call], done, processContext({ draining: AbortSignal.abort(), giveBack }));
    expect([giveBack.mock.calls, done.mock.calls, ask.mock.calls]).toEqual([[[[call]]], [], []]);
  });
});
