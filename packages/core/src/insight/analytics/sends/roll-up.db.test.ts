import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pick, randomRange, ZONES } from '../../../../test/support/analytics/brute.ts';
import { questionOf } from '../../../../test/support/analytics/question.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { seeded } from '../../../../test/support/seeded.ts';
import { intervalOf } from '../../../automation/runs/figures/interval.ts';
import { write } from '../../../database/commit/write-set.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { noCounts } from '../../../messaging/sends/finalize/counters.ts';
import { sendingStatements } from '../../../messaging/sends/statements.ts';
import { sendChanges } from '../../../messaging/sends/sums/store.ts';
import { reportStatements } from '../../../messaging/sends/track/report-statements.ts';
import { QUARTER_MS } from '../quarters.ts';
import type { QueryRange } from '../range.ts';
import { sendFigures } from './figures.ts';
import { rollUpSends } from './roll-up.ts';
import { sendQuarterStore } from './store.ts';

const NOW = new Date('2026-11-01T12:07:00.000Z');
const DAY_MS = 86_400_000;
const clock = virtualClock(NOW);
const ids = uuidV7Ids(clock);
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const other = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });
const CHANNELS: readonly Channel[] = ['push', 'email', 'sms'];
const TEMPLATES = [rowId('template-1'), rowId('template-2'), null];
/** Runs with their workflows; the last run no longer exists. */
const RUNS = [rowId('run-1'), rowId('run-2'), rowId('run-3'), rowId('run-gone')];
const WORKFLOWS = new Map(RUNS.slice(0, 3).map((id, at) => [id, at < 2 ? 'workflow-1' : 'workflow-2']));

describe('roll-ups of sends', () => {
  let home: TestDatabase;
  beforeEach(async () => {
    home = await openTestDatabase();
  });
  afterEach(() => home.close());

  const rowsOf = () => home.storage.db.select().from(home.tables.sends);
  const quarters = () => sendQuarterStore({ db: home.storage.db, tables: home.tables });
  const put = async (random: () => number, count: number, of = scope): Promise<void> => {
    const rows = Array.from({ length: count }, (_, at) => {
      const createdAt = new Date(NOW.getTime() - Math.floor(random() * 60 * DAY_MS));
      return {
        ...{ scopeId: of.scopeId, id: ids.next(), channel: pick(random, CHANNELS), status: 'sent' as const },
        ...{ source: 'api' as const, class: 'marketing' as const, content: {}, variables: {}, recipients: [] },
        ...{ templateId: pick(random, TEMPLATES), expandedRecipients: 0, tokenCount: 1, targeted: 3 },
        // A run has one send per step.
        ...{ workflowRunId: random() < 0.3 ? pick(random, RUNS) : null, stepPath: `${of.scopeId}.${ids.next()}.${at}` },
        ...{ sent: 200, failed: 0, bounced: 0, suppressed: Math.floor(random() * 2), deferred: 0, delivered: 0 },
        ...{ opened: 0, uniqueOpened: 0, machineOpened: 0, clicked: 0, uniqueClicked: 0 },
        ...{ hasMailPermit: false, tags: {}, createdAt, finishedAt: createdAt, fence: 0 },
      };
    });
    await home.storage.db.insert(home.tables.sends).values(rows);
  };
  /** Increases the counts of some sends. */
  const change = async (random: () => number, count: number): Promise<void> => {
    const [hot, reports] = [sendingStatements(home.tables), reportStatements(home.tables)];
    const all = await rowsOf();
    for (let n = 0; n < count; n += 1) {
      const send = pick(random, all);
      const counts = { ...noCounts(send, send.id), sent: 1, failed: Math.floor(random() * 2) };
      const report = { scopeId: send.scopeId, id: send.id, sent: -1, delivered: 1, failed: 1, bounced: 1 };
      await home.storage.commit({
        writes: [random() < 0.5 ? write(hot.count, counts) : write(reports.count, report)],
      });
    }
  };
  const stepOf = (transaction = home.storage.transaction) =>
    rollUpSends({
      storage: { transaction },
      tables: home.tables,
      changes: sendChanges({ ...home.storage, tables: home.tables, clock }),
      workflowsOf: async (_, __, runIds) =>
        runIds.flatMap((id) => {
          const workflowId = WORKFLOWS.get(id);
          return workflowId === undefined ? [] : [{ id, workflowId }];
        }),
      slice: 20,
    });
  const rollAll = async (): Promise<void> => {
    const step = stepOf();
    while (await step());
  };
  /** Brute-force evaluation of every send. */
  const bruteOf = async ({ from, to, interval, zone }: QueryRange, channel: Channel | undefined) => {
    const [sent, groups] = [new Map<string, number>(), new Map<string, number>()];
    for (const send of await rowsOf()) {
      const ms = send.createdAt.getTime();
      if (send.scopeId !== scope.scopeId || ms < from * QUARTER_MS || ms >= to * QUARTER_MS) continue;
      if (channel !== undefined && send.channel !== channel) continue;
      const workflow = WORKFLOWS.get(send.workflowRunId ?? '') ?? 'none';
      groups.set(workflow, (groups.get(workflow) ?? 0) + send.delivered);
      const at = intervalOf(ms, interval, zone);
      sent.set(at, (sent.get(at) ?? 0) + send.sent);
    }
    return { sent, groups };
  };

  it('roll-ups of sends equal a count of each send in 16 zones, wherever a process stopped', async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? 1 + Math.floor(Math.random() * 1e9));
    const random = seeded(seed);
    let doesStop = true;
    const stopping: typeof home.storage.transaction = (work) =>
      home.storage.transaction(async (db) => {
        const answer = await work(db);
        doesStop = !doesStop;
        if (doesStop) throw new Error('the process has ended');
        return answer;
      });
    for (let round = 0; round < 4; round += 1) {
      await put(random, 60);
      await put(random, 15, other);
      await change(random, 40);
      for (let n = 0; n < 3; n += 1) await stepOf(stopping)().catch(() => undefined);
    }
    await rollAll();
    expect(await stepOf()()).toBe(false);
    const text = (map: ReadonlyMap<string, number>): string => JSON.stringify([...map].sort());
    let [points, differences] = [0, 0];
    for (const timezone of ZONES) {
      const asked = randomRange(random, { days: 60, endMs: NOW.getTime(), timezone });
      const channel = random() < 0.25 ? undefined : pick(random, CHANNELS);
      const brute = await bruteOf(asked, channel);
      const days = await sendFigures(quarters(), questionOf(asked), { channel });
      const byWorkflow = await sendFigures(quarters(), questionOf(asked), { channel, groupBy: 'workflow' });
      const sent = new Map(days.series.find(({ key }) => key === 'sent')?.points);
      if (text(sent) !== text(brute.sent)) differences += 1;
      const groups = new Map(byWorkflow.totals.groups.map(({ key, delivered }) => [key, delivered]));
      if (text(groups) !== text(brute.groups)) differences += 1;
      points += sent.size + groups.size;
      expect(differences, `seed ${seed}, ${asked.name}`).toBe(0);
    }
    console.log(`roll-ups of sends: ${points} points in ${ZONES.length} zones compared: differences ${differences}`);
  });

  it('concurrent roll-ups of two processes count every send once', async () => {
    await put(seeded(1), 200);
    const [ours, theirs] = [stepOf(), stepOf()];
    for (let n = 0; n < 10; n += 1) await Promise.all([ours(), theirs()]);
    const all = randomRange(() => 0.999_999, { days: 90, endMs: NOW.getTime() });
    const { totals } = await sendFigures(quarters(), questionOf({ ...all, to: all.from + 100 * 96 }), {});
    expect(totals.targeted).toBe(600);
  });

  it('expired roll-ups are deleted', async () => {
    await put(seeded(2), 30);
    await rollAll();
    const end = Math.ceil(NOW.getTime() / QUARTER_MS);
    expect(await quarters().forget(other, end, 100)).toBe(0);
    expect(await quarters().forget(scope, end, 10)).toBeGreaterThan(9);
    while ((await quarters().forget(scope, end, 10)) > 0);
    expect(await home.storage.db.select().from(home.tables.sendQuarters)).toEqual([]);
  });
});
