// The queue of deliveries. Each webhook has its call limiter, so that a receiver that hangs has as many calls as it may
// and holds up nobody: what does not fit is put off without using an attempt. A webhook is looked at right before its
// deliveries are posted: it may have been changed since they were claimed.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import type { Log } from '../../foundation/log.ts';
import { lru } from '../../foundation/lru.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { CallLimiter } from '../../jobs/concurrency/calls/limiter.ts';
import { type LimitedJob, limitedQueue } from '../../jobs/limited-queue.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Poster } from '../post.ts';
import { WEBHOOKS_QUEUE } from '../schema.ts';
import { signedBy } from '../sign.ts';
import { deliveryQueue, type LeasedDelivery, type WebhookStatements } from '../statements.ts';
import type { WebhookTables } from '../tables.ts';
import type { Bodies, BodiesOf } from './bodies.ts';
import type { Receiver, Receivers } from './receivers.ts';
import { type DeliveryState, disabling, ended, settled } from './settled.ts';
import type { StepPoster } from './steps.ts';

/** Calls at once to one webhook. Source: reliability, Promises (P6). */
const MAX_PER_WEBHOOK = 8;
/** Deliveries in hand at most; ours: many webhooks side by side. */
const MAX_IN_HAND = 2_048;
/**
 * Between two commits of outcomes, in milliseconds; ours: what ends together shares a commit and the pages that it writes.
 * At 80 fewer are told a second than at 15.
 */
const GATHER_MS = 30;
/** Webhooks whose limiter is held; ours: far more than there are calls. */
const MAX_LIMITERS = 10_000;

type Row = Claimed<LeasedDelivery>;

/** A delivery that was posted, or ended without. */
type Settled = {
  readonly kind: 'settled';
  readonly row: Row;
  readonly state: DeliveryState;
  /** What it says of its webhook; null: nothing. */
  readonly receiver: 'works' | 'fails' | 'gone' | 'failing' | null;
  readonly at: Date;
  /** Of a step: tells its run. */
  readonly told?: readonly Write[];
};
/** What became of a delivery; null: nothing, its attempt was broken off. Put off: written with what others became. */
export type DeliveryOutcome = Settled | { readonly kind: 'put off'; readonly row: Row; readonly dueAt: Date } | null;

export type DeliveryContext = Pick<Platform<WebhookTables>, 'tables' | 'clock'> & {
  readonly storage: Pick<Storage, 'commit'>;
  readonly log: Pick<Log, 'warn'>;
  readonly statements: WebhookStatements;
};

export type Delivering = {
  readonly receivers: Receivers;
  readonly bodiesOf: BodiesOf;
  readonly poster: Pick<Poster, 'post'>;
  /** Posts for steps of workflows. */
  readonly steps: StepPoster;
  /** Whether deliveries are due of other webhooks than these. */
  isAnyoneBehind(webhookIds: ReadonlySet<string>): Promise<boolean>;
  /** A webhook was switched off. Throws nothing. */
  onDisabled(scope: { readonly scopeId: number }): void;
};

type Job = LimitedJob<Row, DeliveryOutcome> & {
  /** What the deliveries of its claim say. */
  readonly bodies: Bodies;
};
type Attempt = (job: Job) => Promise<DeliveryOutcome>;

const webhookKey = (row: Pick<LeasedDelivery, 'scopeId' | 'webhookId' | 'step'>): string =>
  `${scopeKey(row)}/${row.step === null ? row.webhookId : URL.parse(row.step.url)?.origin}`;

/** Of several outcomes of one webhook one that was taken counts: it works. */
const WEIGHT = { gone: 3, works: 2, failing: 1, fails: 0 } as const;

/** The work of the queue `webhooks`. */
export const deliveryDispatcher = (
  { storage, tables, clock, log, statements: hot }: DeliveryContext,
  { receivers, bodiesOf, poster, steps, isAnyoneBehind, onDisabled }: Delivering,
): Registration<LeasedDelivery, DeliveryOutcome> => {
  /**
   * Whoever erases what a delivery says erases its row with it, so this takes effect nowhere; cancelled, since nothing of it
   * is to be told again.
   */
  const erased = (row: Row): Settled => {
    const now = clock.now();
    return { kind: 'settled', row, state: ended(row, 'cancelled', 'erased', now), receiver: null, at: now };
  };

  const attemptStep = async ({ row, bodies, batch }: Job): Promise<DeliveryOutcome> => {
    if (row.step === null) throw new TypeError('this delivery is of no step');
    const body = bodies.of(row);
    if (body === null) return erased(row);
    const attempted = await steps.attempt(row, row.step, body, batch.signal);
    const at = clock.now();
    return {
      kind: 'settled',
      row,
      state: attempted.state,
      receiver: null,
      at,
      told: steps.told(row, row.step, attempted, at),
    };
  };

  const attempt = async ({ row, bodies, batch }: Job, receiver: Receiver): Promise<DeliveryOutcome> => {
    const body = bodies.of(row);
    if (body === null) return erased(row);
    const beganAt = clock.now();
    const { url, opened, failingSince } = receiver;
    const signed = signedBy(opened.signers(beganAt), { id: row.eventId, at: beganAt, body });
    const result = await poster.post({ url, headers: { ...opened.headers, ...signed }, body }, batch.signal);
    const isTaken = result.outcome === 'delivered';
    // What is known of it already is not written again.
    const news = isTaken === (failingSince !== null) ? (isTaken ? 'works' : 'fails') : null;
    const said = disabling(result, failingSince) ?? news;
    return { kind: 'settled', row, state: settled(row, beganAt, result), receiver: said, at: result.endedAt };
  };

  /** How deliveries of one webhook are posted; null: they are not, and have ended. Each of steps has a target of its own. */
  const attemptOf = async (jobs: readonly Job[]): Promise<Attempt | null> => {
    const [first] = jobs;
    if (!first) return null;
    const { step, webhookId } = first.row;
    // Before the look at the webhook, which is the last that is done.
    await Promise.all(new Set(jobs.map(({ bodies }) => bodies.isRead)));
    if (step !== null) return attemptStep;
    try {
      const receiver = await receivers.load(first.row, webhookId);
      if (receiver?.isActive) return (job) => attempt(job, receiver);
      const now = clock.now();
      const reason = receiver ? 'disabled' : 'deleted';
      for (const { row, batch } of jobs)
        batch.end(row, { kind: 'settled', row, state: ended(row, 'cancelled', reason, now), receiver: null, at: now });
    } catch (error) {
      for (const { row, batch } of jobs) batch.fail(row, error);
    }
    return null;
  };

  const begin = async (jobs: readonly Job[], free: (tookMs: number | null) => void): Promise<void> => {
    const attempts = await attemptOf(jobs);
    if (attempts === null || jobs.some(({ batch }) => batch.draining.aborted)) {
      // Where they have ended, there is nothing to give back.
      for (const { row, batch } of jobs) {
        if (attempts !== null) batch.giveBack(row);
        free(null);
      }
      return;
    }
    await Promise.all(
      jobs.map(async (job) => {
        const { row, batch } = job;
        const start = performance.now();
        try {
          batch.end(row, await attempts(job));
        } catch (error) {
          // What a worker that stops breaks off was no attempt: it is taken up again when its lease has run out.
          if (batch.signal.aborted) batch.end(row, null);
          else batch.fail(row, error);
        }
        free(performance.now() - start);
      }),
    );
  };

  const calls = limitedQueue<Row, DeliveryOutcome, string, Job, Job>({
    clock,
    maxInHand: MAX_IN_HAND,
    limiters: lru<string, CallLimiter<Job, Job>>(MAX_LIMITERS),
    // Nothing is made of a delivery before its turn, so that being ready early means nothing.
    limitsOf: () => ({ capacity: { now: () => MAX_PER_WEBHOOK, most: MAX_PER_WEBHOOK }, isAhead: true }),
    prepare: async (_, jobs) => jobs,
    begin: (_, jobs, free) => begin(jobs, free),
    putOff: (jobs, dueAt) => {
      for (const [at, { row, batch }] of jobs.entries())
        batch.end(row, { kind: 'put off', row, dueAt: dueAt[at] ?? clock.now() });
    },
    giveBackReady: (_, jobs) => {
      for (const { row, batch } of jobs) batch.giveBack(row);
    },
    isAnyoneBehind,
  });

  const stateOf = ({ row, state }: Pick<Settled, 'row' | 'state'>): Write =>
    write(hot.settle, { ...scopeOf(row), id: row.id, fence: row.fence, ...state });

  /** What one webhook's outcomes of a commit say of it. */
  const receiverOf = (outcomes: readonly Settled[]): Write[] => {
    const said = outcomes.flatMap(({ receiver, at, row }) => (receiver === null ? [] : [{ receiver, at, row }]));
    const [first] = said.sort((a, b) => WEIGHT[b.receiver] - WEIGHT[a.receiver] || a.at.getTime() - b.at.getTime());
    if (!first) return [];
    const { receiver, at, row } = first;
    const key = { ...scopeOf(row), id: row.webhookId };
    switch (receiver) {
      case 'works':
        return [write(hot.working, key)];
      case 'fails':
        return [write(hot.failing, { ...key, failingSince: at })];
      case 'gone':
      case 'failing':
        log.warn({ webhookId: row.webhookId, scopeId: row.scopeId, code: receiver }, 'a webhook was switched off');
        return [
          write(hot.failing, { ...key, failingSince: at }),
          write(hot.disable, { ...key, isActive: false, disabledReason: receiver, updatedAt: at }),
        ];
    }
  };

  return {
    name: WEBHOOKS_QUEUE,
    claim: deliveryQueue(tables),
    callsProviders: true,
    maxInHand: MAX_IN_HAND,
    gatherMs: GATHER_MS,
    room: calls.room,
    process: (rows, done, context) => {
      calls.claimed(rows.map(({ webhookId }) => webhookId));
      const bodies = bodiesOf(rows);
      const jobOf = (row: Row, batch: Job['batch']): Job => ({ row, bodies, batch });
      const groups = [...Map.groupBy(rows, webhookKey)].map(([target, own]) => ({ target, rows: own, jobOf }));
      return calls.process(groups, done, context);
    },
    commit: async (outcomes) => {
      const told = outcomes.filter((outcome) => outcome?.kind === 'settled');
      const off = outcomes.filter((outcome) => outcome?.kind === 'put off');
      const byWebhook = [...Map.groupBy(told, ({ row }) => webhookKey(row)).values()];
      const runs = told.flatMap((outcome) => outcome.told ?? []);
      const said = byWebhook.flatMap(receiverOf);
      const writes = [
        ...told.map(stateOf),
        ...off.map(({ row, dueAt }) => write(hot.putOff, { ...scopeOf(row), id: row.id, fence: row.fence, dueAt })),
        ...said,
        ...runs,
      ];
      if (writes.length > 0) await storage.commit({ writes, wakes: runs.length > 0 ? [...steps.wakes] : [] });
      if (said.length > 0) receivers.forget();
      for (const { row, receiver } of told) if (receiver === 'gone' || receiver === 'failing') onDisabled(row);
    },
    giveUp: async (row, reason) => {
      const now = clock.now();
      const state = ended(row, 'failed', reason, now);
      const told = row.step === null ? [] : steps.told(row, row.step, { state, result: null }, now);
      const writes = [stateOf({ row, state }), ...told];
      await storage.commit({ writes, wakes: told.length > 0 ? [...steps.wakes] : [] });
    },
  };
};
