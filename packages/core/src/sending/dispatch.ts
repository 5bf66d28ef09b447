// The queue of messages. Each live transport has its lane: messages wait there, are handed over together a little before
// their places are free, and their answers are written as they come. What does not fit, and what its provider would
// refuse, is put off without using an attempt.

import type { Channel } from '../api.ts';
import { allEnded } from '../primitives/all-ended.ts';
import { type Scope, scopeKey, scopeOf } from '../primitives/scope.ts';
import { claimable } from '../storage/claim.ts';
import { MAX_PLANS, type Write, write } from '../storage/plan.ts';
import type { SendOutcome } from '../transports/port.ts';
import { MAX_CLAIM, type Registration } from '../work/registration.ts';
import { MESSAGES_QUEUE } from './accept.ts';
import type { Backlog } from './backlog.ts';
import type { Carried, Carrier, Carriers, ChannelKey } from './carriers.ts';
import type { AddressNews, AddressReaction } from './channel.ts';
import { addressOfRow, type Given, type HandoverDeps, handover, type Job, type Leased, refOf } from './handover.ts';
import { type Lane, lane } from './lane.ts';
import { callLimit, type Limit } from './limit.ts';
import {
  type Answered,
  type MessageRef,
  messageTag,
  type Settled,
  settlementOf,
  settleOrder,
  settleWrites,
  stopOf,
} from './outcome.ts';
import { sharedRoom } from './room.ts';
import { MAX_AGE_MS, PARKED } from './schema.ts';
import type { MessageRow } from './store.ts';
import type { SendingTables } from './tables.ts';

/** Messages in hand at most; ours: several providers' places side by side. */
const PLACES = 2_048;
/** Between two commits of answers, in milliseconds; ours: a slow provider's come one by one, and a commit costs as much. */
const GATHER_MS = 5;
/** Over how long parked messages come back, in milliseconds; ours. */
const SPREAD_MS = 1_000;

/** What is reported of a row: an answer to write, or null where the row has ended, is put off or was lost. */
export type MessageOutcome =
  | (Answered & {
      readonly message: MessageRef;
      readonly news: AddressNews | null;
      /** What its provider refuses the credentials of; null: they are not refused. */
      readonly refusing: Carrier | null;
    })
  | null;

export type DispatchLog = { error(fields: Readonly<Record<string, unknown>>, message: string): void };

export type DispatchDeps = HandoverDeps & {
  readonly tables: SendingTables;
  /** From 0 (inclusive) to 1; spreads the waits before another attempt. */
  readonly random: () => number;
  readonly carriers: Pick<Carriers, 'load' | 'refresh'>;
  readonly reactions: readonly AddressReaction[];
  /** Lets parked messages of a channel come again; its provider takes them now. Throws nothing. */
  readonly release: (scope: Scope, channel: Channel) => void;
  readonly backlog: Pick<Backlog, 'during'>;
  readonly log: DispatchLog;
};

/** A job in a lane, and whom to tell. */
type Waiting = Job & {
  readonly carrier: Carrier;
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

const newsOf = (row: Leased, outcome: SendOutcome): AddressNews | null => {
  const { address } = row;
  if (address === null) return null;
  const about = () => {
    const { facts } = addressOfRow(row, address);
    return { ...scopeOf(row), channel: row.channel, messageId: row.id, person: row.person, address, facts };
  };
  if (outcome.result === 'failed' && outcome.address !== undefined)
    return { ...about(), told: outcome.address, deadSince: outcome.deadSince ?? null };
  if (outcome.result !== 'accepted' || outcome.apnsEnvironment === undefined) return null;
  // What its row said already is no news: every push to iOS would read and write its token once more.
  if (outcome.apnsEnvironment === row.facts.apnsEnvironment) return null;
  return { ...about(), told: 'apns_environment', apnsEnvironment: outcome.apnsEnvironment };
};

const channelOf = (one: ChannelKey): ChannelKey => ({ ...scopeOf(one), channel: one.channel });
const carriedOf = (row: Leased): Carried => ({
  ...scopeOf(row),
  channel: row.channel,
  platform: row.facts.platform,
});
const carriedKey = (row: Leased): string => `${scopeKey(row)}/${row.channel}/${row.facts.platform}`;

/** The work of the queue `messages`. */
export const dispatcher = (deps: DispatchDeps): Registration<MessageRow, MessageOutcome> => {
  const { storage, tables, hot, clock, random, carriers, reactions, backlog, log, resendsAmbiguous } = deps;
  const handOver = handover(deps);
  const lanes = new WeakMap<Carrier, Lane<Waiting>>();
  // Whatever the lanes hold, a whole claim can still be looked at.
  const room = sharedRoom(PLACES - MAX_CLAIM);
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
  const settleAll = async (settled: readonly Settled[], now: Date, news: readonly AddressNews[] = []) => {
    let open = settled;
    for (let plan = 1; open.length > 0; plan += 1) {
      const mine = news.length === 0 ? null : new Set(open.map(({ message }) => messageTag(message)));
      const told = mine ? news.filter((one) => mine.has(messageTag({ ...scopeOf(one), id: one.messageId }))) : [];
      const react = told.length === 0 ? [] : await Promise.all(reactions.map((reaction) => reaction.load(told)));
      const writes = [...settleWrites(hot, open, now), ...react.flatMap((writesAt) => writesAt(now))];
      const committed = await storage.commit({ order, writes });
      if (committed.ok) return;
      // What is left out is somebody else's by now; with nothing left out it was an address that changed meanwhile.
      const rest = open.filter(({ message }) => !committed.failed.has(messageTag(message)));
      if (rest.length === open.length && plan > MAX_PLANS)
        throw new Error('these addresses change faster than their messages end');
      open = rest;
    }
  };

  /** Until when nothing goes with these credentials; null: something may, or others have taken their place. */
  const refusedUntil = (carrier: Carrier): Date | null =>
    carrier.isRetired() ? null : carrier.circuit.refusedUntil(clock.now());

  const call = async ({ job, send, isProbe }: Ready, limit: Limit): Promise<void> => {
    const { row, carrier } = job;
    const message = refOf(row, row.attempt + 1);
    const attempt = async (): Promise<SendOutcome> => {
      try {
        return await send({ signal: limit.signal, attempt: message.attempt });
      } catch (error) {
        log.error({ messageId: message.id, orgId: message.orgId, error }, 'a transport threw');
        return THREW;
      }
    };
    const outcome = await limit.within(attempt());
    const change = carrier.circuit.tell(outcome, isProbe, clock.now());
    if (change) carrier.note(change);
    if (change?.until === null) deps.release(row, row.channel);
    if (outcome.result === 'accepted') carrier.note('accepted');
    const parkedUntil = outcome.result === 'credential' ? refusedUntil(carrier) : null;
    const refusing = parkedUntil === null ? null : carrier;
    job.end({ message, outcome, parkedUntil, news: newsOf(row, outcome), refusing });
  };

  /**
   * Asked once messages are parked on disk: whoever released what was parked before then, because there are other
   * credentials or a probe was taken, did not see these. Throws nothing.
   */
  const releaseLate = async (carrier: Carrier, key: ChannelKey): Promise<void> => {
    try {
      await carriers.refresh(key);
      if (refusedUntil(carrier) === null) deps.release(key, key.channel);
    } catch (error) {
      log.error({ orgId: key.orgId, channel: key.channel, error }, 'parked messages could not be released');
    }
  };

  const park = async (carrier: Carrier, jobs: readonly Job[], until: Date): Promise<void> => {
    const [first] = jobs;
    if (!first) return;
    await putOff(
      jobs.map(({ row }) => row),
      () => new Date(until.getTime() + Math.round(SPREAD_MS * random())),
      PARKED,
    );
    await releaseLate(carrier, channelOf(first.row));
  };

  /** Hands over what may go and answers it; every other job has ended when it resolves. */
  const pass = async (carrier: Carrier, jobs: readonly Waiting[]): Promise<readonly Ready[]> => {
    const now = clock.now();
    if (carrier.isRetired() || jobs.some(({ signal }) => signal.aborted)) {
      // Whoever claims them next has the newest credentials, or more time.
      await putOff(
        jobs.map(({ row }) => row),
        () => now,
        null,
      );
      for (const job of jobs) job.end(null);
      return [];
    }
    const verdict = carrier.circuit.pass(now);
    const isProbe = verdict.may === 'one';
    const going = verdict.may === 'all' ? jobs : jobs.slice(0, isProbe ? 1 : 0);
    let ready: readonly Ready[] = [];
    try {
      const others = jobs.slice(going.length);
      if (others.length > 0 && verdict.may !== 'all')
        await park(carrier, others, verdict.may === 'one' ? verdict.othersUntil : verdict.until);
      for (const job of others) job.end(null);
      const given = going.length === 0 ? [] : await handOver(going);
      ready = given.map(({ job, send }) => ({ job, send, isProbe, leave: carrier.enter() }));
      const passed = new Set(given.map(({ job }) => job));
      for (const job of going) if (!passed.has(job)) job.end(null);
      return ready;
    } finally {
      // Nothing will be learned: the next message is the probe.
      if (isProbe && ready.length === 0) carrier.circuit.tell(THREW, true, clock.now());
    }
  };

  const prepare = async (carrier: Carrier, jobs: readonly Waiting[]): Promise<readonly Ready[]> => {
    // From before it is asked whether the carrier is retired: what is being handed over does not meet a closed transport.
    const leave = carrier.enter();
    try {
      return await pass(carrier, jobs);
    } catch (error) {
      for (const job of jobs) job.fail(error);
      return [];
    } finally {
      leave();
    }
  };

  const begin = async (carrier: Carrier, jobs: readonly Ready[], free: (tookMs: number) => void): Promise<void> => {
    const [first] = jobs;
    if (!first) return;
    const began = clock.now().getTime();
    const limit = callLimit(first.job.signal, carrier.limitMs);
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
    limit.release();
  };

  const laneOf = (carrier: Carrier, channel: Channel): Lane<Waiting> => {
    const known = lanes.get(carrier);
    if (known) return known;
    const { transport } = carrier;
    const { maxInFlight: most } = transport;
    const made = lane<Waiting, Ready>({
      places: { now: () => transport.room?.() ?? most, most },
      room,
      // What was handed over and not begun when a process dies is sent again, unless that is forbidden.
      isAhead: channel !== 'sms' || resendsAmbiguous,
      prepare: (jobs) => prepare(carrier, jobs),
      begin: (jobs, free) => void begin(carrier, jobs, free),
    });
    lanes.set(carrier, made);
    return made;
  };

  type Done = (row: Leased, outcome: MessageOutcome) => void;

  const carry = async (carrier: Carrier, rows: readonly Leased[], done: Done, signal: AbortSignal): Promise<void> => {
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
      return { row, carrier, signal, end, fail };
    });
    const refused = refusedUntil(carrier);
    const own = laneOf(carrier, first.channel);
    const outside = refused === null ? own.add(jobs) : jobs;
    const later = (): Promise<void> => {
      if (refused !== null) return park(carrier, outside, refused);
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
    places: PLACES,
    gatherMs: GATHER_MS,
    handle: (rows, done, context) =>
      backlog.during(rows.length, async () => {
        const groups = [...Map.groupBy(rows, carriedKey).values()];
        const carried = groups.flatMap(([row]) => (row ? [carriedOf(row)] : []));
        const carrierOf = await carriers.load(carried);
        await allEnded(
          groups.map(async (group, at) => {
            const carrier = carried[at] ? carrierOf(carried[at]) : null;
            if (carrier) return carry(carrier, group, done, context.signal);
            await handOver(group.map((row) => ({ row, carrier: null })));
            for (const row of group) done(row, null);
          }),
        );
      }),
    finish: async (outcomes) => {
      const now = clock.now();
      const answers = outcomes.filter((outcome) => outcome !== null);
      const settled = answers.map((answer) => ({
        message: answer.message,
        settlement: settlementOf(answer, { now, random: random(), resendsAmbiguous }),
      }));
      await settleAll(
        settled,
        now,
        answers.flatMap(({ news }) => news ?? []),
      );
      const refused = new Map(answers.flatMap(({ refusing, message }) => (refusing ? [[refusing, message]] : [])));
      for (const [carrier, message] of refused) await releaseLate(carrier, channelOf(message));
    },
    giveUp: async (row, reason) => {
      const verdict = { verdict: 'failed', code: reason, message: 'The message could not be handled.' } as const;
      const now = clock.now();
      await settleAll([{ message: refOf(row, row.attempt), settlement: stopOf(verdict, row.attempt, now) }], now);
    },
  };
};
