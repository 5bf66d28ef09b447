// The queue of deliveries. Each webhook has its own call limiter, so a receiver that hangs delays no other webhook.
// What exceeds the limit is postponed without using an attempt. The webhook is loaded right before its deliveries are
// posted, because it may have changed since they were claimed.

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
import { deliveryIds } from './delivery-ids.ts';
import { type DeliveryState, disabledReasonOf, ended, settled } from './outcome.ts';
import type { Receiver, Receivers } from './receivers.ts';
import type { StepPoster } from './steps.ts';

/** Concurrent requests per webhook. Source: reliability, Promises (P6). */
const MAX_PER_WEBHOOK = 8;
/** Maximum claimed deliveries. Chosen: enough for many webhooks side by side. */
const MAX_IN_HAND = 2_048;
/**
 * Pause between two commits of outcomes, in milliseconds. Outcomes of that time share a commit and the pages that it
 * writes. Measured: 80 ms deliver fewer per second than 15 ms.
 */
const GATHER_MS = 30;
/** Cached limiters. Chosen: far more than there are concurrent calls. */
const MAX_LIMITERS = 10_000;

type Row = Claimed<LeasedDelivery>;

/** A delivery after an attempt, or one that ended without an attempt. */
type Finished = {
  readonly kind: 'settled';
  readonly row: Row;
  readonly state: DeliveryState;
  /** State that the attempt shows of its webhook; null if unchanged or unknown. */
  readonly receiver: 'works' | 'fails' | 'gone' | 'failing' | null;
  readonly at: Date;
  /** For a workflow step: the writes that resume its run. */
  readonly settledOutcomes?: readonly Write[];
};
/** Outcome of a delivery; null if its attempt was aborted. `put off` is committed together with other outcomes. */
export type DeliveryOutcome = Finished | { readonly kind: 'put off'; readonly row: Row; readonly dueAt: Date } | null;

export type DeliveryContext = Pick<Platform<WebhookTables>, 'tables' | 'clock'> & {
  readonly storage: Pick<Storage, 'commit'>;
  readonly log: Pick<Log, 'warn'>;
  readonly statements: WebhookStatements;
};

export type Delivering = {
  readonly receivers: Receivers;
  readonly bodiesOf: BodiesOf;
  readonly poster: Pick<Poster, 'post'>;
  /** Posts the requests of workflow steps. */
  readonly steps: StepPoster;
  /** True if deliveries of other webhooks than these are due. */
  hasOtherOwnersDue(webhookIds: ReadonlySet<string>): Promise<boolean>;
  /** Called after a webhook was disabled. Throws nothing. */
  onDisabled(scope: { readonly scopeId: number }): void;
};

type Job = LimitedJob<Row, DeliveryOutcome> & {
  /** Bodies of the deliveries of its claim. */
  readonly bodies: Bodies;
};
type Attempt = (job: Job) => Promise<DeliveryOutcome>;

const webhookKey = (row: Pick<LeasedDelivery, 'scopeId' | 'webhookId' | 'step'>): string =>
  `${scopeKey(row)}/${row.step === null ? row.webhookId : URL.parse(row.step.url)?.origin}`;

/** Precedence among the outcomes of one webhook in one commit: one success outweighs failures, a 410 outweighs both. */
const WEIGHT = { gone: 3, works: 2, failing: 1, fails: 0 } as const;

/** The work of the queue `webhooks`. */
export const deliveryDispatcher = (
  { storage, tables, clock, log, statements: hot }: DeliveryContext,
  { receivers, bodiesOf, poster, steps, hasOtherOwnersDue, onDisabled }: Delivering,
): Registration<LeasedDelivery, DeliveryOutcome> => {
  /** Erasure deletes the row together with its body, so this write normally finds no row. Cancelled, so nothing retries. */
  const erased = (row: Row): Finished => {
    const now = clock.now();
    return { kind: 'settled', row, state: ended(row, 'cancelled', 'erased', now), receiver: null, at: now };
  };

  const attemptStep = async ({ row, bodies, batch }: Job): Promise<DeliveryOutcome> => {
    if (row.step === null) throw new TypeError('this delivery belongs to no workflow step');
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
      settledOutcomes: steps.resumeWrites(row, row.step, attempted, at),
    };
  };

  const attempt = async ({ row, bodies, batch }: Job, receiver: Receiver): Promise<DeliveryOutcome> => {
    const body = bodies.of(row);
    if (body === null) return erased(row);
    const beganAt = clock.now();
    const { url, opened, failingSince } = receiver;
    const signed = signedBy(opened.signers(beganAt), { id: row.eventId, at: beganAt, body });
    const about = { scope: scopeOf(row), ids: { ...deliveryIds(row), 'beckon.webhook_id': row.webhookId } };
    const result = await poster.post({ url, headers: { ...opened.headers, ...signed }, body, about }, batch.signal);
    const isDelivered = result.outcome === 'delivered';
    // Only a change of state is written.
    const change = isDelivered === (failingSince !== null) ? (isDelivered ? 'works' : 'fails') : null;
    const receiverWrites = disabledReasonOf(result, failingSince) ?? change;
    return { kind: 'settled', row, state: settled(row, beganAt, result), receiver: receiverWrites, at: result.endedAt };
  };

  /** How deliveries of one target are posted; null if they ended without an attempt. */
  const attemptOf = async (jobs: readonly Job[]): Promise<Attempt | null> => {
    const [first] = jobs;
    if (!first) return null;
    const { step, webhookId } = first.row;
    // Read before the webhook is loaded, so that nothing delays the post after the load.
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
      // Deliveries that ended have nothing to give back.
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
          // An attempt that a stopping worker aborts does not count. Another worker retries it when the lease expires.
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
    // Deliveries need no preparation, so being ready early has no cost.
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
    hasOtherOwnersDue,
  });

  const stateOf = ({ row, state }: Pick<Finished, 'row' | 'state'>): Write =>
    write(hot.finish, { ...scopeOf(row), id: row.id, fence: row.fence, ...state });

  /** Updates a webhook's state from its outcomes of one commit. */
  const receiverOf = (outcomes: readonly Finished[]): Write[] => {
    const receiverWrites = outcomes.flatMap(({ receiver, at, row }) =>
      receiver === null ? [] : [{ receiver, at, row }],
    );
    const [first] = receiverWrites.sort(
      (a, b) => WEIGHT[b.receiver] - WEIGHT[a.receiver] || a.at.getTime() - b.at.getTime(),
    );
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
        log.warn({ webhookId: row.webhookId, scopeId: row.scopeId, code: receiver }, 'a webhook was disabled');
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
    claimLimit: calls.claimLimit,
    process: (rows, done, context) => {
      calls.claimed(rows.map(({ webhookId }) => webhookId));
      const bodies = bodiesOf(rows);
      const jobOf = (row: Row, batch: Job['batch']): Job => ({ row, bodies, batch });
      const groups = [...Map.groupBy(rows, webhookKey)].map(([target, own]) => ({ target, rows: own, jobOf }));
      return calls.process(groups, done, context);
    },
    commit: async (outcomes) => {
      const settledOutcomes = outcomes.filter((outcome) => outcome?.kind === 'settled');
      const off = outcomes.filter((outcome) => outcome?.kind === 'put off');
      const byWebhook = [...Map.groupBy(settledOutcomes, ({ row }) => webhookKey(row)).values()];
      const runs = settledOutcomes.flatMap((outcome) => outcome.settledOutcomes ?? []);
      const receiverWrites = byWebhook.flatMap(receiverOf);
      const writes = [
        ...settledOutcomes.map(stateOf),
        ...off.map(({ row, dueAt }) => write(hot.putOff, { ...scopeOf(row), id: row.id, fence: row.fence, dueAt })),
        ...receiverWrites,
        ...runs,
      ];
      if (writes.length > 0) await storage.commit({ writes, wakes: runs.length > 0 ? [...steps.wakes] : [] });
      if (receiverWrites.length > 0) receivers.forget();
      for (const { row, receiver } of settledOutcomes)
        if (receiver === 'gone' || receiver === 'failing') onDisabled(row);
    },
    deadLetter: async (row, reason) => {
      const now = clock.now();
      const state = ended(row, 'failed', reason, now);
      const settledOutcomes = row.step === null ? [] : steps.resumeWrites(row, row.step, { state, result: null }, now);
      const writes = [stateOf({ row, state }), ...settledOutcomes];
      await storage.commit({ writes, wakes: settledOutcomes.length > 0 ? [...steps.wakes] : [] });
    },
  };
};
