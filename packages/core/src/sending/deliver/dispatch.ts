import { addressOfRow } from '../rows.ts';
import { MESSAGES_QUEUE } from '../schema.ts';
// The queue of messages. Each live transport has its callLimiter: messages wait there, are handed over together a little before
// their places are free, and their answers are written as they come. What does not fit, and what its provider would
// refuse, is put off without using an attempt.

import type { Channel } from '../../api.ts';
import { allEnded } from '../../primitives/all-ended.ts';
import { type InScope, scopeKey, scopeOf } from '../../primitives/scope.ts';
import type {
  ChannelKey,
  ConnectionKey,
  ProviderConnection,
  ProviderConnections,
} from '../../providers/connections.ts';
import { claimable } from '../../storage/claim.ts';
import { MAX_TRIES, type Write, write } from '../../storage/write-set.ts';
import type { SendOutcome } from '../../transports/port.ts';
import { type CallLimiter, callLimiter } from '../../work/concurrency/limiter.ts';
import { sharedBudget } from '../../work/concurrency/shared-budget.ts';
import { MAX_CLAIM, type Registration } from '../../work/registration.ts';

import type { AddressFeedback, AddressReaction } from '../channel.ts';
import type { Backlog } from '../expand/backlog.ts';
import { MAX_AGE_MS, PARKED } from '../schema.ts';
import {
  type Answered,
  type MessageRef,
  messageTag,
  type Settled,
  settlementOf,
  settleOrder,
  settleWrites,
  stopOf,
} from '../settle/outcome.ts';
import type { MessageRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';
import { callLimit, type Limit } from './call-deadline.ts';
import { type Given, type HandoverDeps, handover, type Job, type Leased, refOf } from './handover.ts';

/** Messages in hand at most; ours: several providers' places side by side. */
const MAX_IN_HAND = 2_048;
/** Between two commits of answers, in milliseconds; ours: a slow provider's come one by one, and a commit costs as much. */
const GATHER_MS = 5;
/** Over how long parked messages come back, in milliseconds; ours. */
const SPREAD_MS = 1_000;

/** What is reported of a row: an answer to write, or null where the row has ended, is put off or was lost. */
export type MessageOutcome =
  | (Answered & {
      readonly message: MessageRef;
      readonly feedback: AddressFeedback | null;
      /** What its provider refuses the credentials of; null: they are not refused. */
      readonly refusing: ProviderConnection | null;
    })
  | null;

export type DispatchLog = { error(fields: Readonly<Record<string, unknown>>, message: string): void };

export type DispatchDeps = HandoverDeps & {
  readonly tables: SendingTables;
  /** From 0 (inclusive) to 1; spreads the waits before another attempt. */
  readonly random: () => number;
  readonly connections: Pick<ProviderConnections, 'load' | 'refresh'>;
  readonly reactions: readonly AddressReaction[];
  /** Lets parked messages of a channel come again; its provider takes them now. Throws nothing. */
  readonly unpark: (scope: InScope, channel: Channel) => void;
  readonly backlog: Pick<Backlog, 'during'>;
  readonly log: DispatchLog;
};

/** A job in a callLimiter, and whom to tell. */
type Waiting = Job & {
  readonly connection: ProviderConnection;
  readonly signal: AbortSignal;
  end(outcome: MessageOutcome): void;
  fail(error: unknown): void;
};
/** A job that was handed over; `leave` says that it is on its way no longer. */
type Ready = Given<Waiting> & { readonly isProbe: boolean; readonly leave: () => void };

const THREW: SendOutcome = {
  result: 'retry',
  code: 'transport_threw',
  message: 'The transport failed in a way that it should not.',
  processed: 'unknown',
};

const feedbackOf = (row: Leased, outcome: SendOutcome): AddressFeedback | null => {
  const { address } = row;
  if (address === null) return null;
  const about = () => {
    const { facts } = addressOfRow(row, address);
    return { ...scopeOf(row), channel: row.channel, messageId: row.id, person: row.person, address, facts };
  };
  if (outcome.result === 'failed' && outcome.address !== undefined)
    return { ...about(), told: outcome.address, deadSince: outcome.deadSince ?? null };
  if (outcome.result !== 'accepted' || outcome.apnsEnvironment === undefined) return null;
  // What its row said already is no feedback: every push to iOS would read and write its token once more.
  if (outcome.apnsEnvironment === row.facts.apnsEnvironment) return null;
  return { ...about(), told: 'apns_environment', apnsEnvironment: outcome.apnsEnvironment };
};

const channelOf = (one: ChannelKey): ChannelKey => ({ ...scopeOf(one), channel: one.channel });
const connectionKeyOf = (row: Leased): ConnectionKey => ({
  ...scopeOf(row),
  channel: row.channel,
  platform: row.facts.platform,
});
const connectionNameOf = (row: Leased): string => `${scopeKey(row)}/${row.channel}/${row.facts.platform}`;

/** The work of the queue `messages`. */
export const dispatcher = (deps: DispatchDeps): Registration<MessageRow, MessageOutcome> => {
  const { storage, tables, hot, clock, random, connections, reactions, backlog, log, resendsAmbiguous } = deps;
  const handOver = handover(deps);
  const limiters = new WeakMap<ProviderConnection, CallLimiter<Waiting>>();
  // Whatever the limiters hold, a whole claim can still be looked at.
  const budget = sharedBudget(MAX_IN_HAND - MAX_CLAIM);
  const order = [...settleOrder(hot), ...reactions.flatMap((reaction) => reaction.order)];

  /** Rows come again at their moment; one that has waited too long for its provider to take them ends. */
  const putOff = async (rows: readonly Leased[], dueAt: (at: number) => Date, reason: string | null) => {
    const now = clock.now();
    const ended: Settled[] = [];
    const writes: Write[] = [];
    for (const [at, row] of rows.entries()) {
      const { id, fence, attempt } = row;
      if (reason === PARKED && dueAt(at).getTime() >= row.createdAt.getTime() + MAX_AGE_MS) {
        const message = 'The provider refused the credentials for too long.';
        const verdict = { verdict: 'failed', code: 'credential_rejected', message } as const;
        ended.push({ message: refOf(row, attempt), settlement: stopOf(verdict, attempt, now) });
      } else writes.push(write(hot.putOff, { ...scopeOf(row), id, fence, reason, dueAt: dueAt(at) }));
    }
    await settleAll(ended, now);
    if (writes.length > 0) await storage.commit({ order: [hot.putOff], writes });
  };

  /** Writes what became of messages, and what providers told of their addresses. */
  const settleAll = async (settled: readonly Settled[], now: Date, feedback: readonly AddressFeedback[] = []) => {
    let open = settled;
    for (let plan = 1; open.length > 0; plan += 1) {
      const mine = feedback.length === 0 ? null : new Set(open.map(({ message }) => messageTag(message)));
      const told = mine ? feedback.filter((one) => mine.has(messageTag({ ...scopeOf(one), id: one.messageId }))) : [];
      const react = told.length === 0 ? [] : await Promise.all(reactions.map((reaction) => reaction.load(told)));
      const writes = [...settleWrites(hot, open, now), ...react.flatMap((writesAt) => writesAt(now))];
      const committed = await storage.commit({ order, writes });
      if (committed.ok) return;
      // What is left out is somebody else's by now; with nothing left out it was an address that changed meanwhile.
      const rest = open.filter(({ message }) => !committed.failed.has(messageTag(message)));
      if (rest.length === open.length && plan > MAX_TRIES)
        throw new Error('these addresses change faster than their messages end');
      open = rest;
    }
  };

  /** Until when nothing goes with these credentials; null: something may, or others have taken their place. */
  const refusedUntil = (connection: ProviderConnection): Date | null =>
    connection.isRetired() ? null : connection.circuit.refusedUntil(clock.now());

  const call = async ({ job, send, isProbe }: Ready, limit: Limit): Promise<void> => {
    const { row, connection } = job;
    const message = refOf(row, row.attempt + 1);
    const attempt = async (): Promise<SendOutcome> => {
      try {
        return await send({ signal: limit.signal, attempt: message.attempt });
      } catch (error) {
        log.error({ messageId: message.id, scopeId: message.scopeId, error }, 'a transport threw');
        return THREW;
      }
    };
    const outcome = await limit.within(attempt());
    const change = connection.circuit.tell(outcome, isProbe, clock.now());
    if (change) connection.note(change);
    if (change?.until === null) deps.unpark(row, row.channel);
    if (outcome.result === 'accepted') connection.note('accepted');
    const parkedUntil = outcome.result === 'credential' ? refusedUntil(connection) : null;
    const refusing = parkedUntil === null ? null : connection;
    job.end({ message, outcome, parkedUntil, feedback: feedbackOf(row, outcome), refusing });
  };

  /**
   * Asked once messages are parked on disk: whoever released what was parked before then, because there are other
   * credentials or a probe was taken, did not see these. Throws nothing.
   */
  const unparkLate = async (connection: ProviderConnection, key: ChannelKey): Promise<void> => {
    try {
      await connections.refresh(key);
      if (refusedUntil(connection) === null) deps.unpark(key, key.channel);
    } catch (error) {
      log.error({ scopeId: key.scopeId, channel: key.channel, error }, 'parked messages could not be released');
    }
  };

  const park = async (connection: ProviderConnection, jobs: readonly Job[], until: Date): Promise<void> => {
    const [first] = jobs;
    if (!first) return;
    await putOff(
      jobs.map(({ row }) => row),
      () => new Date(until.getTime() + Math.round(SPREAD_MS * random())),
      PARKED,
    );
    await unparkLate(connection, channelOf(first.row));
  };

  /** Hands over what may go and answers it; every other job has ended when it resolves. */
  const pass = async (connection: ProviderConnection, jobs: readonly Waiting[]): Promise<readonly Ready[]> => {
    const now = clock.now();
    if (connection.isRetired() || jobs.some(({ signal }) => signal.aborted)) {
      // Whoever claims them next has the newest credentials, or more time.
      await putOff(
        jobs.map(({ row }) => row),
        () => now,
        null,
      );
      for (const job of jobs) job.end(null);
      return [];
    }
    const verdict = connection.circuit.pass(now);
    const isProbe = verdict.may === 'one';
    const going = verdict.may === 'all' ? jobs : jobs.slice(0, isProbe ? 1 : 0);
    let ready: readonly Ready[] = [];
    try {
      const others = jobs.slice(going.length);
      if (others.length > 0 && verdict.may !== 'all')
        await park(connection, others, verdict.may === 'one' ? verdict.othersUntil : verdict.until);
      for (const job of others) job.end(null);
      const given = going.length === 0 ? [] : await handOver(going);
      ready = given.map(({ job, send }) => ({ job, send, isProbe, leave: connection.enter() }));
      const passed = new Set(given.map(({ job }) => job));
      for (const job of going) if (!passed.has(job)) job.end(null);
      return ready;
    } finally {
      // Nothing will be learned: the next message is the probe.
      if (isProbe && ready.length === 0) connection.circuit.tell(THREW, true, clock.now());
    }
  };

  const prepare = async (connection: ProviderConnection, jobs: readonly Waiting[]): Promise<readonly Ready[]> => {
    // From before it is asked whether the connection is retired: what is being handed over does not meet a closed transport.
    const leave = connection.enter();
    try {
      return await pass(connection, jobs);
    } catch (error) {
      for (const job of jobs) job.fail(error);
      return [];
    } finally {
      leave();
    }
  };

  const begin = async (
    connection: ProviderConnection,
    jobs: readonly Ready[],
    free: (tookMs: number) => void,
  ): Promise<void> => {
    const [first] = jobs;
    if (!first) return;
    const began = clock.now().getTime();
    const limit = callLimit(first.job.signal, connection.limitMs);
    const work = async (one: Ready): Promise<void> => {
      try {
        await call(one, limit);
      } catch (error) {
        one.job.fail(error);
      }
      free(clock.now().getTime() - began);
      one.leave();
    };
    await Promise.all(jobs.map(work));
    limit.dispose();
  };

  const limiterOf = (connection: ProviderConnection, channel: Channel): CallLimiter<Waiting> => {
    const known = limiters.get(connection);
    if (known) return known;
    const { transport } = connection;
    const { maxInFlight: most } = transport;
    const made = callLimiter<Waiting, Ready>({
      capacity: { now: () => transport.currentCapacity?.() ?? most, most },
      budget,
      // What was handed over and not begun when a process dies is sent again, unless that is forbidden.
      isAhead: channel !== 'sms' || resendsAmbiguous,
      prepare: (jobs) => prepare(connection, jobs),
      begin: (jobs, free) => void begin(connection, jobs, free),
    });
    limiters.set(connection, made);
    return made;
  };

  type Done = (row: Leased, outcome: MessageOutcome) => void;

  const send = async (
    connection: ProviderConnection,
    rows: readonly Leased[],
    done: Done,
    signal: AbortSignal,
  ): Promise<void> => {
    const [first] = rows;
    if (!first) return;
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const open = new Set(rows);
    const failures: unknown[] = [];
    const close = (row: Leased): void => {
      if (open.delete(row) && open.size === 0) finish();
    };
    const jobs = rows.map((row): Waiting => {
      const end = (outcome: MessageOutcome): void => {
        done(row, outcome);
        close(row);
      };
      const fail = (error: unknown): void => {
        failures.push(error);
        close(row);
      };
      return { row, connection, signal, end, fail };
    });
    const refused = refusedUntil(connection);
    const own = limiterOf(connection, first.channel);
    const outside = refused === null ? own.add(jobs) : jobs;
    const later = (): Promise<void> => {
      if (refused !== null) return park(connection, outside, refused);
      const nowMs = clock.now().getTime();
      const moments = own.later(outside.length, nowMs);
      const waiting = outside.map(({ row }) => row);
      return putOff(waiting, (at) => new Date(nowMs + (moments[at] ?? 0)), null);
    };
    if (outside.length > 0)
      await later().then(
        () => {
          for (const job of outside) job.end(null);
        },
        (error) => {
          for (const job of outside) job.fail(error);
        },
      );
    await finished;
    if (failures.length > 0) throw failures[0];
  };

  return {
    name: MESSAGES_QUEUE,
    claim: claimable(MESSAGES_QUEUE, tables.messages),
    maxInHand: MAX_IN_HAND,
    gatherMs: GATHER_MS,
    process: (rows, done, context) =>
      backlog.during(rows.length, async () => {
        const groups = [...Map.groupBy(rows, connectionNameOf).values()];
        const keys = groups.flatMap(([row]) => (row ? [connectionKeyOf(row)] : []));
        const connectionOf = await connections.load(keys);
        await allEnded(
          groups.map(async (group, at) => {
            const connection = keys[at] ? connectionOf(keys[at]) : null;
            if (connection) return send(connection, group, done, context.signal);
            await handOver(group.map((row) => ({ row, connection: null })));
            for (const row of group) done(row, null);
          }),
        );
      }),
    commit: async (outcomes) => {
      const now = clock.now();
      const answers = outcomes.filter((outcome) => outcome !== null);
      const settled = answers.map((answer) => ({
        message: answer.message,
        settlement: settlementOf(answer, { now, random: random(), resendsAmbiguous }),
      }));
      await settleAll(
        settled,
        now,
        answers.flatMap(({ feedback }) => feedback ?? []),
      );
      const refused = new Map(answers.flatMap(({ refusing, message }) => (refusing ? [[refusing, message]] : [])));
      for (const [connection, message] of refused) await unparkLate(connection, channelOf(message));
    },
    giveUp: async (row, reason) => {
      const verdict = { verdict: 'failed', code: reason, message: 'The message could not be handled.' } as const;
      const now = clock.now();
      await settleAll([{ message: refOf(row, row.attempt), settlement: stopOf(verdict, row.attempt, now) }], now);
    },
  };
};
