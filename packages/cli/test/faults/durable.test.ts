// Fails the first, second, ... commit or statement of a short scenario until a run has no failure. After each run the
// database is checked for partial writes; then the same requests are repeated and must all succeed.

import { describe, expect, it } from 'vitest';
import { type Deployment, deploy, type Engine } from '../kill/deployment.ts';
import { type Held, hold } from '../kill/held-open.ts';
import type { Client } from '../kill/http.ts';

const ENGINES = ['sqlite', 'postgres'] as const satisfies readonly Engine[];
/**
 * Injected failures: a failed commit stores nothing, a failed statement rolls back its transaction, and a lost response
 * stores everything.
 */
const SEAMS = { commit: 'beforeCommit', statement: 'statement', 'answer to a commit': 'committed' } as const;
const CALLS = ['commit', 'statement', 'answer to a commit'] as const;
const CASES = ENGINES.flatMap((engine) => CALLS.map((call) => ({ engine, call })));
/** Maximum failures. Chosen: far more than the scenario has, to detect an endless loop. */
const MOST_CALLS = 500;
/** Clock advance beyond a lease and every retry delay. */
const LATER_MS = 600_000;

const workflow = {
  name: 'Order',
  description: null,
  isActive: true,
  trigger: { eventType: 'ordered' },
  steps: [
    { type: 'update_profile', config: { increment: { count: 1 } } },
    { type: 'send_email', config: { subject: 'Thank you', text: 'It is on its way.' } },
  ],
};

/** Number of rows of one user, by kind; `emails` and `counts` are traits. */
const countRows = async ({ query }: Deployment, user: string) => {
  const runs = `runs r where r.person = 'u:${user}'`;
  const ofRun = `join runs r on r.id = s.run_id where r.person = 'u:${user}'`;
  const ofSend = `sends s join runs r on r.id = s.workflow_run_id where r.person = 'u:${user}'`;
  const told = `('i-${user}', 'o-${user}')`;
  const kinds = {
    identifies: `events where message_id = 'i-${user}'`,
    orders: `events where message_id = 'o-${user}'`,
    ids: `event_message_ids where message_id in ${told}`,
    rightIds: `event_message_ids i join events e on e.id = i.event_id and e.message_id = i.message_id
      where i.message_id in ${told}`,
    profiles: `profiles where person = 'u:${user}'`,
    emails: `profiles where person = 'u:${user}' and cast(traits as text) like '%${user}@shop.example%'`,
    counts: `profiles where person = 'u:${user}' and cast(traits as text) like '%"count"%'`,
    runs,
    completedRuns: `${runs} and status = 'completed' and outcome = 'ok'`,
    countSteps: `run_steps s ${ofRun} and s.path = '0'`,
    mailSteps: `run_steps s ${ofRun} and s.path = '1'`,
    sends: ofSend,
    finishedSends: `${ofSend} and s.status = 'sent' and s.sent = 1 and s.targeted = 1`,
    messages: `messages where person = 'u:${user}'`,
    sentMessages: `messages where person = 'u:${user}' and status = 'sent'`,
    caught: `outbox_messages where user_id = '${user}'`,
  };
  const columns = Object.entries(kinds).map(
    ([kind, rows]) => `(select cast(count(*) as integer) from ${rows}) "${kind}"`,
  );
  const [row] = await query<Record<keyof typeof kinds, number>>(`select ${columns.join(', ')}`);
  if (!row) throw new Error('a select without a table answered no row');
  return row;
};

type Rows = Awaited<ReturnType<typeof countRows>>;

/** Kinds with exactly one row at the end. */
const COME_TRUE: Rows = {
  identifies: 1,
  orders: 1,
  ids: 2,
  rightIds: 2,
  profiles: 1,
  emails: 1,
  counts: 1,
  runs: 1,
  completedRuns: 1,
  countSteps: 1,
  mailSteps: 1,
  sends: 1,
  finishedSends: 1,
  messages: 1,
  sentMessages: 1,
  caught: 1,
};

/** Partial writes: pairs of kinds with different numbers. */
const halvesIn = (rows: Rows): string[] =>
  (
    [
      ['identifies', 'emails'],
      ['orders', 'runs'],
      ['ids', 'rightIds'],
      ['countSteps', 'counts'],
      ['mailSteps', 'sends'],
      ['mailSteps', 'completedRuns'],
      ['sends', 'messages'],
      ['sentMessages', 'finishedSends'],
    ] as const
  )
    .filter(([one, other]) => rows[one] !== rows[other])
    .map(([one, other]) => `${rows[one]} ${one} and ${rows[other]} ${other}`)
    .concat(rows.identifies + rows.orders === rows.ids ? [] : [`${rows.ids} ids`])
    .concat(rows.sentMessages <= rows.caught ? [] : ['sent, and not caught']);

/** Runs the scenario. A rejected request ends it, as for a client. */
const runScenario = async (http: Client, { beckon }: Held, user: string): Promise<void> => {
  const order = { module: 'shop', eventType: 'ordered', userId: user, messageId: `o-${user}` };
  const identify = { userId: user, messageId: `i-${user}`, traits: { email: `${user}@shop.example` } };
  const story = [
    { path: '/api/v1/identify', body: identify },
    { path: '/api/v1/events', body: order },
  ];
  for (const { path, body } of story) {
    const { status } = await http.call('POST', path, body);
    if (status !== 200 && status !== 409) return;
  }
  await beckon.worker.drain();
};

describe.concurrent('failing calls to the database', () => {
  it.for(CASES)('a failed $call leaves no partial writes on $engine', async ({ engine, call }) => {
    const deployment = await deploy(engine, [workflow]);
    const held = await hold(deployment);
    try {
      const http = await held.serve(1);
      await http.call('GET', '/api/v1/profiles');
      let last = 0;
      let hasFailed = true;
      for (let at = 1; hasFailed && at < MOST_CALLS; at += 1) {
        const user = `n${at}`;
        let calls = 0;
        hasFailed = false;
        const fail = (): void => {
          calls += 1;
          if (calls !== at) return;
          hasFailed = true;
          throw new Error('a fault');
        };
        held.faults[SEAMS[call]] = fail;
        await runScenario(http, held, user).catch((error: unknown) => {
          if (!hasFailed) throw error;
        });
        held.faults[SEAMS[call]] = undefined;
        expect([at, halvesIn(await countRows(deployment, user))]).toEqual([at, []]);
        held.clock.advance(LATER_MS);
        await runScenario(http, held, user);
        held.clock.advance(LATER_MS);
        await runScenario(http, held, user);
        const rows = await countRows(deployment, user);
        // An email whose result could not be stored is sent again, as after a lost provider response.
        const caught = call === 'answer to a commit' ? Math.min(rows.caught, 1) : rows.caught;
        expect(rows.caught).toBeLessThanOrEqual(2);
        expect([at, { ...rows, caught }, halvesIn(rows)]).toEqual([at, COME_TRUE, []]);
        last = at;
      }
      console.log(`fail the Nth ${call} ${engine}: ${last - 1} failures, partial 0, all converged`);
      expect([hasFailed, last > 5]).toEqual([false, true]);
    } finally {
      await held.close();
      await deployment.remove();
    }
  });
});
