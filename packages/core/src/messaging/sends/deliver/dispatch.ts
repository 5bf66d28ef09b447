// The worker of the message queue. Each provider connection has a call limiter. Messages wait there, are handed over in
// groups slightly before capacity is free, and their answers are written as they arrive. Messages without capacity, and
// messages that the provider would reject, become due later without using an attempt.

import type { ConnectionKey, ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { UnreadableSecret } from '../../../foundation/secrets.ts';
import { waitForAll } from '../../../foundation/wait-for-all.ts';
import type { CallLimiter } from '../../../jobs/concurrency/calls/limiter.ts';
import { type LimitedGroup, limitedQueue } from '../../../jobs/limited-queue.ts';
import type { Registration } from '../../../jobs/registration.ts';
import type { MailPermits } from '../../../platform/limits/mail-permits.ts';
import type { SendsContext } from '../context.ts';
import type { Backlog } from '../expand/backlog.ts';
import { sendKey } from '../finalize/counters.ts';
import { answeredChange, stoppedChange } from '../finalize/outcome.ts';
import { MESSAGES_QUEUE } from '../schema.ts';
import { type LeasedRow, messageQueue } from '../statements.ts';
import type { TakeReports } from '../track/delivery-report.ts';
import { UNHANDLED } from '../verdict.ts';
import { callLimit, type Limit } from './call-deadline.ts';
import { traceCall } from './call-span.ts';
import { sendContentReader } from './content.ts';
import { factsLoader } from './facts.ts';
import { handover } from './handover.ts';
import { type HoldContext, holding, refusedUntil } from './hold.ts';
import type { Batch, LeasedMessage, MessageOutcome } from './message.ts';
import { providerLog } from './provider-log.ts';
import { type HandedOver, releasing } from './release.ts';
import { openValues } from './sealed.ts';
import { type Admitted, sendRateLimiter } from './send-rate.ts';
import { simulatedReports } from './simulated-reports.ts';

/** Maximum messages in hand. Chosen: several providers at full capacity. */
const MAX_IN_HAND = 2_048;
/**
 * Interval between commits of answers, in milliseconds. Chosen: a slow provider answers one call at a time, and each
 * commit has a fixed cost.
 */
const GATHER_MS = 5;
/** Dependencies of the dispatcher. */
type DispatchContext = SendsContext & {
  /** Absent: email is not rate-limited. */
  readonly permits?: MailPermits | undefined;
  /** Makes held messages of a channel due, because its provider accepts again. Throws nothing. */
  readonly resume: HoldContext['resume'];
  /** Applies the delayed reports that the sandbox simulates. */
  readonly reports: TakeReports;
  readonly backlog: Pick<Backlog, 'during'>;
};

type RateLimited = Pick<Admitted<LeasedMessage>, 'going' | 'later' | 'handedOver'>;

const THREW: SendOutcome = {
  result: 'retry',
  code: 'transport_threw',
  message: 'Internal error in the transport. The log has the cause.',
  processed: 'unknown',
};

/** The provider connection that a message needs. */
export const connectionKeyOf = (row: LeasedRow): ConnectionKey => ({
  ...scopeOf(row),
  channel: row.channel,
  platform: row.facts.platform,
});
const connectionNameOf = (row: LeasedRow): string => `${scopeKey(row)}/${row.channel}/${row.facts.platform}`;
const rowsOf = (messages: readonly LeasedMessage[]): readonly LeasedRow[] => messages.map(({ row }) => row);

/** The worker of the queue `messages`. */
export const dispatcher = (context: DispatchContext): Registration<LeasedRow, MessageOutcome> => {
  const { storage, tables, hot, clock, random, connections, finalize, backlog, resendsAmbiguous } = context;
  const { meter, tracing, log } = context;
  const providers = providerLog({ log, clock });
  const readContents = sendContentReader(storage, hot, async (send, sealed) => {
    const scopeAt = await context.scopes.load([send.scopeId]);
    return openValues(context.keyring, scopeAt(send.scopeId), send.id, sealed).catch((error: unknown) => {
      if (!(error instanceof UnreadableSecret)) throw error;
      log.error({ scopeId: send.scopeId, sendId: send.id, error }, 'sealed values of a send cannot be opened');
      return null;
    });
  });
  const handOver = handover({
    ...context,
    loadFacts: factsLoader({ ...context, loadTests: context.tests.loadToAssign, readContents }),
  });

  const fail: HoldContext['fail'] = async (rows, code, message) => {
    if (rows.length === 0) return;
    const contents = await readContents(rows);
    const now = clock.now();
    const stepOf = (row: LeasedRow) => contents.get(sendKey(row, row.sendId))?.step ?? null;
    const verdict = { verdict: 'failed', code, message } as const;
    await finalize.commit(
      rows.map((row) => stoppedChange(row, stepOf(row), verdict, now)),
      now,
    );
  };
  const { moveOn, putOff, resumeLate } = holding({ ...context, fail, held: providers.held });
  const takeBack = releasing(context);
  const simulate = simulatedReports(context);

  const call = async (
    connection: ProviderConnection,
    { message, isProbe }: HandedOver,
    limit: Limit,
  ): Promise<void> => {
    const { row, send, batch } = message;
    const attempt = async (): Promise<SendOutcome> => {
      try {
        return await message.call({ signal: limit.signal, attempt: row.attempt + 1 });
      } catch (error) {
        log.error({ messageId: row.id, scopeId: row.scopeId, error }, 'a transport threw');
        return THREW;
      }
    };
    const start = performance.now();
    const within = () => limit.within(attempt());
    const outcome = await (tracing ? traceCall(tracing, row, connection, within) : within());
    const { channel } = row;
    const { provider } = connection;
    meter.time('call', (performance.now() - start) / 1_000, { channel, provider });
    meter.count('calls', 1, { channel, provider, result: outcome.result });
    const now = clock.now();
    if (batch.signal.aborted && outcome.result === 'retry') {
      // A call that the worker cut off says nothing about its provider, and whether the message was accepted is
      // unknown. Nothing is written: after the lease expires, the next worker finds it in `sending` and applies the
      // channel's rule.
      if (isProbe) connection.circuit.abandon();
      return batch.end(row, null);
    }
    providers.answered(connection, row, outcome);
    const conditions = { isProbe, hasFallback: connection.hasFallback(now), now };
    const turned = connection.circuit.record(outcome, conditions);
    if (turned) connection.note(turned);
    if (turned?.until === null) context.resume(row, row.channel);
    if (outcome.result === 'accepted') connection.note('accepted');
    // With a fallback provider the message is due again at once.
    const isHeld = outcome.result === 'credential' && !connection.hasFallback(now);
    const heldUntil = isHeld ? refusedUntil(connection, now) : null;
    const options = { now, random: random(), resendsAmbiguous };
    const change = answeredChange(row, send?.step ?? null, { outcome, heldUntil }, options);
    const isSandbox = connection.provider === 'sandbox' && outcome.result === 'accepted';
    const simulated = (isSandbox && outcome.simulated) || null;
    batch.end(row, { change, refusing: heldUntil === null ? null : connection, simulated });
  };

  const rateLimited = context.permits && sendRateLimiter({ ...context, readContents, permits: context.permits });
  /** Splits messages by the email rate limit of their organization. The sandbox is not limited. */
  const admit = async (connection: ProviderConnection, messages: readonly LeasedMessage[]): Promise<RateLimited> => {
    const isMail = connection.provider !== 'sandbox' && messages[0]?.row.channel === 'email';
    return rateLimited && isMail
      ? rateLimited(messages)
      : { going: messages, later: [], handedOver: async () => undefined };
  };

  /** Hands over the messages that may go and returns them. All other messages have ended when it resolves. */
  const pass = async (
    connection: ProviderConnection,
    messages: readonly LeasedMessage[],
  ): Promise<readonly HandedOver[]> => {
    if (messages.some(({ batch }) => batch.draining.aborted)) {
      for (const { row, batch } of messages) batch.giveBack(row);
      return [];
    }
    const now = clock.now();
    if (connection.isRetired() || messages.some(({ batch }) => batch.signal.aborted)) {
      // The next worker has the newest credentials, or more time.
      await putOff(rowsOf(messages), () => now);
      for (const { row, batch } of messages) batch.end(row, null);
      return [];
    }
    const verdict = connection.circuit.pass(now);
    const isProbe = verdict.may === 'one';
    const going = verdict.may === 'all' ? messages : messages.slice(0, isProbe ? 1 : 0);
    let inFlight: readonly HandedOver[] = [];
    try {
      const others = messages.slice(going.length);
      if (others.length > 0 && verdict.may !== 'all')
        await moveOn(connection, rowsOf(others), verdict.may === 'one' ? verdict.othersUntil : verdict.until);
      for (const { row, batch } of others) batch.end(row, null);
      const { going: admitted, later, handedOver } = await admit(connection, going);
      await putOff(
        later.map(({ item }) => item.row),
        (_, at) => later[at]?.dueAt ?? now,
        { isHeldBack: true },
      );
      for (const { item } of later) item.batch.end(item.row, null);
      const ready = admitted.length === 0 ? [] : await handOver(admitted);
      await handedOver(ready);
      inFlight = ready.map((message) => ({ message, evaluatedAt: now, isProbe, leave: connection.enter() }));
      const passed = new Set(rowsOf(ready));
      for (const { row, batch } of admitted) if (!passed.has(row)) batch.end(row, null);
      return inFlight;
    } finally {
      // The probe was not sent, so the next message becomes the probe.
      if (isProbe && inFlight.length === 0) connection.circuit.abandon();
    }
  };

  const prepare = async (
    connection: ProviderConnection,
    messages: readonly LeasedMessage[],
  ): Promise<readonly HandedOver[]> => {
    // Entered before the check for a retired connection, so that a handover never meets a closed transport.
    const leave = connection.enter();
    try {
      const handedOver = await pass(connection, messages);
      if (!handedOver.some(({ message }) => message.batch.draining.aborted)) return handedOver;
      await takeBack.giveBack(connection, handedOver);
      return [];
    } catch (error) {
      for (const { row, batch } of messages) batch.fail(row, error);
      return [];
    } finally {
      leave();
    }
  };

  const begin = async (
    connection: ProviderConnection,
    handedOver: readonly HandedOver[],
    free: (tookMs: number | null) => void,
  ): Promise<void> => {
    const going = handedOver.filter((one) => {
      const isBack = takeBack.ifQuiet(connection, one);
      if (isBack) free(null);
      return !isBack;
    });
    const [first] = going;
    if (!first) return;
    const began = performance.now();
    const limit = callLimit(first.message.batch.signal, connection.limitMs);
    const work = async (one: HandedOver): Promise<void> => {
      try {
        await call(connection, one, limit);
      } catch (error) {
        one.message.batch.fail(one.message.row, error);
      }
      free(performance.now() - began);
      one.leave();
    };
    await Promise.all(going.map(work));
    limit.dispose();
  };

  const calls = limitedQueue<LeasedRow, MessageOutcome, ProviderConnection, LeasedMessage, HandedOver>({
    clock,
    maxInHand: MAX_IN_HAND,
    limiters: new WeakMap<ProviderConnection, CallLimiter<LeasedMessage, HandedOver>>(),
    limitsOf: ({ transport }, { channel }) => ({
      capacity: {
        now: () => transport.currentCapacity?.() ?? transport.maxInFlight,
        most: transport.maxInFlight,
      },
      // After a crash, messages handed over ahead of their call are sent again, so text messages are not handed over
      // ahead unless repeats are allowed.
      isAhead: channel !== 'sms' || resendsAmbiguous,
    }),
    // Messages of sends to many have priority 1: those to one person go before them.
    isFirst: ({ priority }) => priority === 0,
    refuse: (connection, messages) => {
      const refused = refusedUntil(connection, clock.now());
      if (refused === null) return null;
      return moveOn(connection, rowsOf(messages), refused).then(() => {
        for (const { row, batch } of messages) batch.end(row, null);
      });
    },
    prepare,
    begin,
    putOff: async (messages, dueAt) => {
      await putOff(rowsOf(messages), (_, at) => dueAt[at] ?? clock.now());
      for (const { row, batch } of messages) batch.end(row, null);
    },
    giveBackReady: takeBack.giveBack,
  });

  return {
    name: MESSAGES_QUEUE,
    claim: messageQueue(tables),
    callsProviders: true,
    maxInHand: MAX_IN_HAND,
    gatherMs: GATHER_MS,
    process: (rows, done, context) =>
      backlog.during(rows.length, async () => {
        const { signal, draining } = context;
        const groups = [...Map.groupBy(rows, connectionNameOf).values()].flatMap((groupRows) =>
          groupRows[0] ? [{ rows: groupRows, key: connectionKeyOf(groupRows[0]) }] : [],
        );
        const connectionOf = await connections.load(groups.map(({ key }) => key));
        const withProvider: LimitedGroup<LeasedRow, MessageOutcome, ProviderConnection, LeasedMessage>[] = [];
        const withoutProvider: (readonly LeasedRow[])[] = [];
        for (const { rows: own, key } of groups) {
          const connection = connectionOf(key);
          if (connection)
            withProvider.push({ target: connection, rows: own, jobOf: (row, batch) => ({ row, connection, batch }) });
          else withoutProvider.push(own);
        }
        /** Messages without a provider: the gates decide their outcome. */
        const handOverWithoutProvider = async (rowsWithoutProvider: readonly LeasedRow[]): Promise<void> => {
          const none = () => undefined;
          const batch: Batch = { signal, draining, end: done, fail: none, giveBack: none };
          await handOver(rowsWithoutProvider.map((row) => ({ row, connection: null, batch })));
          for (const row of rowsWithoutProvider) done(row, null);
        };
        await waitForAll([calls.process(withProvider, done, context), ...withoutProvider.map(handOverWithoutProvider)]);
      }),
    commit: async (outcomes) => {
      const answers = outcomes.filter((outcome) => outcome !== null);
      await finalize.commit(
        answers.map(({ change }) => change),
        clock.now(),
      );
      const refused = new Map(answers.flatMap(({ refusing, change }) => (refusing ? [[refusing, change]] : [])));
      for (const [connection, { channel, ...one }] of refused)
        await resumeLate(connection, { ...scopeOf(one), channel });
      await simulate(answers.flatMap(({ change, simulated }) => (simulated ? [{ change, simulated }] : [])));
    },
    deadLetter: (row, reason) => fail([row], reason, UNHANDLED),
  };
};
