import { describe, expect, it, vi } from 'vitest';
import { listeningTo } from '../../../test/support/events/listening.ts';
import { testScope, testScopes } from '../../../test/support/scopes.ts';
import { profileOf } from '../../../test/support/sends/world.ts';
import { tablesOf } from '../../app/tables.ts';
import { type Write, write } from '../../database/commit/write-set.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { scopeOf } from '../../foundation/scope.ts';
import type { CatalogName } from '../../people/events/catalog.ts';
import { bindReaction, type IngestDraft, type Item } from '../../people/events/pipeline.ts';
import { runEffects } from './effects.ts';
import { runStatements } from './statements.ts';
import type { RunRow } from './store.ts';

const tables = tablesOf('sqlite');
const hot = runStatements(tables);
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const now = new Date('2026-03-01T10:00:00.000Z');
const FAILED = { status: 'failed', outcome: 'error', error: 'step_threw' } as const;

const run: RunRow = {
  ...scopeOf(scope),
  id: derivedId(now, 'a run'),
  workflowId: derivedId(now, 'a workflow'),
  workflowVersion: 1,
  workflowName: 'Welcome',
  person: 'u:ann',
  triggerEventId: derivedId(now, 'an event'),
  triggerEvent: {},
  status: 'running',
  outcome: null,
  depth: 3,
  runBudget: 9,
  budgetRunId: null,
  exitReason: null,
  cursor: '0',
  attempt: 1,
  startedAt: now,
  completedAt: null,
  error: null,
  context: {},
  dueAt: now,
  waitingSince: null,
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
  leaseUntil: null,
  fence: 1,
};

const effectsOf = async (...heard: readonly CatalogName[]) => {
  const loaded: Item[] = [];
  const seen: IngestDraft[] = [];
  const watching = bindReaction({
    name: 'watching',
    load: async (items) => void loaded.push(...items),
    plan: (draft) => {
      seen.push(draft);
      draft.wakes.add('watching');
      draft.writes.push(write(hot.moveMerged, { ...scopeOf(scope), person: 'u:ann', newPerson: 'u:eve' }));
    },
  });
  const select = vi.fn(async () => []);
  const effects = await runEffects({
    storage: { select },
    hot,
    emitter: listeningTo(tables, ...heard),
    scopes: testScopes,
    downstream: [watching],
    putTraits: (draft, { key, stored, next: left }) => {
      draft.people.set(key.person, {
        scope,
        person: key.person,
        before: stored ?? null,
        after: { ...profileOf(scope, 'ann'), ...left },
      });
    },
  }).load([run], { isFirstTry: true, isJoined: false });
  const gathered = { now, writes: [] as Write[], wakes: new Set<string>() };
  return { effects, gathered, loaded, seen, select };
};

describe('effects of steps', () => {
  it("changed traits reach the downstream reactions in the step's commit, one level deeper than the run", async () => {
    const { effects, gathered, loaded, seen } = await effectsOf();
    const change = {
      key: { ...scopeOf(scope), person: 'u:ann' },
      stored: undefined,
      next: { traits: { plan: 'pro' }, isTruncated: false },
    };
    await effects.change(gathered, [run], [change], 'person');
    expect(loaded).toMatchObject([{ scope, kind: 'changed', userId: 'ann', depth: 4 }]);
    expect(seen).toMatchObject([
      { now, merges: [], entries: [{ person: 'u:ann', item: { kind: 'changed', depth: 4 } }] },
    ]);
    expect([...(seen[0]?.people.values() ?? [])]).toMatchObject([{ before: null, after: { traits: { plan: 'pro' } } }]);
    expect(gathered.writes.map(({ bulk }) => bulk)).toEqual([hot.moveMerged]);
    expect([...gathered.wakes]).toEqual(['watching']);
  });

  it('no reaction is called if no step changed a profile', async () => {
    const { effects, gathered, loaded, seen } = await effectsOf();
    await effects.change(gathered, [], [], 'person');
    expect([loaded, seen, gathered.writes]).toEqual([[], [], []]);
  });

  it('events of runs without subscribers cost no read', async () => {
    const { effects, gathered, select } = await effectsOf('push.sent');
    const step = { path: '0', type: 'send_push', outcome: 'ok', reason: null, attempt: 1, sendId: null } as const;
    effects.raise(gathered, run, FAILED, step);
    expect(gathered.writes).toEqual([]);
    expect(select).not.toHaveBeenCalled();
  });

  it('the end of a failed run is raised, and nothing for a continuing one', async () => {
    const { effects, gathered } = await effectsOf('workflow.run_completed');
    effects.raise(gathered, run, { status: 'waiting', outcome: null, error: null }, null);
    expect(gathered.writes).toEqual([]);
    effects.raise(gathered, run, FAILED, null);
    expect(gathered.writes.map(({ row }) => [row['eventType'], row['properties'], row['depth']])).toEqual([
      ['workflow.run_completed', expect.objectContaining({ ...FAILED, steps: [] }), undefined],
      ['workflow.run_completed', expect.objectContaining({ runId: run.id }), 4],
    ]);
  });

  it('run_completed lists every step of the plan', async () => {
    const { effects, gathered } = await effectsOf('workflow.run_completed');
    const step = (path: string) =>
      ({ path, type: 'update_profile', outcome: 'ok', reason: null, attempt: 1, sendId: null }) as const;
    effects.raise(gathered, run, { status: 'running', outcome: null, error: null }, step('0'));
    effects.raise(gathered, run, { status: 'completed', outcome: 'ok', error: null }, step('1'));
    expect(gathered.writes[0]?.row['properties']).toMatchObject({ steps: [{ path: '0' }, { path: '1' }] });
  });
});
