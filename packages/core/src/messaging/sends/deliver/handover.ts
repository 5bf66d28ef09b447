// From a leased message to a call of its transport. Between lease and handover everything happens in memory. The
// handover is one transaction; it admits only messages whose lease is still held, whose send is not cancelled, whose
// address is on no list, whose user made no new opt-out, and whose reservations succeed. From its commit on a message
// counts as given to its provider: after a crash before the answer is written, the next worker applies the channel's
// rule.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Tag, type Write, write } from '../../../database/commit/write-set.ts';
import { scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { type MessageChange, messageTag } from '../finalize/change.ts';
import { bySend, releaseWrites, sendKey } from '../finalize/counters.ts';
import { stoppedChange } from '../finalize/outcome.ts';
import type { SendStatus } from '../schema.ts';
import type { LeasedRow } from '../statements.ts';
import { evaluateGates, gates } from './gates/evaluate.ts';
import type { LeasedMessage, ReadyMessage, SendRef } from './message.ts';
import { reserving } from './reservations.ts';
import { unitOf } from './variants.ts';

/** Dependencies of the handover. */
type HandoverContext = Pick<
  SendsContext,
  'storage' | 'hot' | 'clock' | 'finalize' | 'reservations' | 'preconditions' | 'resendsAmbiguous'
> & { readonly loadFacts: (messages: readonly LeasedMessage[]) => Promise<readonly ReadyMessage[]> };

/** Tag of the guards that check the facts of a message's recipient. */
const preconditionTag = (row: LeasedRow): Tag => `f:${messageTag(row)}`;

const sendsOf = (messages: readonly ReadyMessage[]): SendRef[] => [...new Set(messages.map(({ sendRef }) => sendRef))];

/**
 * Makes the function that hands leased messages over. It returns those that may be given to their transports; the
 * verdict of every other message is on disk, or its lease is lost. A constant number of statements, whatever the number
 * of messages.
 */
export const handover = (
  context: HandoverContext,
): ((messages: readonly LeasedMessage[]) => Promise<readonly ReadyMessage[]>) => {
  const { storage, hot, clock, finalize, loadFacts, reservations, preconditions } = context;
  const list = gates(context);

  const statusesOf = async (sends: readonly SendRef[]): Promise<Map<string, SendStatus>> => {
    const keys = sends.map((send) => [scopeKey(send), send.sendId]);
    const states = await storage.select(hot.sendStates, keys);
    return new Map(states.map((state) => [sendKey(state, state.id), state.status]));
  };

  /**
   * The variant to store: the message has none yet, or its test no longer runs. Null: unchanged. Copies are not
   * counted.
   */
  const assigned = ({ row, send, choice }: ReadyMessage) => {
    const variant = choice?.variant ?? null;
    if (variant === row.variant || row.role !== 'to') return null;
    return variant === null
      ? { abTestId: null, variant: null, abTestUnit: null }
      : { abTestId: send?.abTestId ?? null, variant, abTestUnit: unitOf(row) };
  };

  const keyOf = ({ row }: ReadyMessage) => ({ ...scopeOf(row), id: row.id, fence: row.fence });

  /** For messages that are stopped; messages that go store theirs in the handover. */
  const assignments = (messages: readonly ReadyMessage[]): Write[] =>
    messages.flatMap((message) => {
      const assignment = assigned(message);
      return assignment === null ? [] : [write(hot.assign, { ...keyOf(message), ...assignment })];
    });

  const handOverWrite = (message: ReadyMessage): Write => {
    const row = { ...keyOf(message), status: 'sending' as const, provider: message.connection?.provider ?? null };
    const assignment = assigned(message);
    const tag = messageTag(message.row);
    return assignment === null ? write(hot.handOver, row, tag) : write(hot.handOverAs, { ...row, ...assignment }, tag);
  };

  const preconditionWrites = (message: ReadyMessage): Write[] =>
    preconditions
      .flatMap((precondition) => precondition(message))
      .map((one) => ({ ...one, tag: preconditionTag(message.row) }));

  const handOverWrites = (
    messages: readonly ReadyMessage[],
    statuses: ReadonlyMap<string, SendStatus>,
    now: Date,
  ): Write[] => [
    ...sendsOf(messages)
      // A message found in `sending` can no longer be cancelled, and a lock on its send's row would make handovers wait
      // for each other.
      .filter(({ key }) => statuses.get(key) !== 'sending')
      .sort(bySend)
      .map((send) =>
        write(hot.claimSend, { ...scopeOf(send), id: send.id, status: 'sending', startedAt: now }, `s:${send.key}`),
      ),
    ...releaseWrites(
      hot,
      messages.map(({ row }) => row),
    ),
    ...messages.map(handOverWrite),
  ];

  /** The newest facts: read again for messages whose precondition failed. */
  const newest = async (
    latest: Map<ReadyMessage, ReadyMessage>,
    open: readonly ReadyMessage[],
    failed: ReadonlySet<Tag>,
  ): Promise<readonly ReadyMessage[]> => {
    const changed = failed.size === 0 ? [] : open.filter(({ row }) => failed.has(preconditionTag(row)));
    for (const [at, one] of (changed.length === 0 ? [] : await loadFacts(changed)).entries()) {
      const old = changed[at];
      if (old) latest.set(old, one);
    }
    return latest.size === 0 ? open : open.map((one) => latest.get(one) ?? one);
  };

  return async (leased) => {
    const ready = await loadFacts(leased);
    const reread = new Map<ReadyMessage, ReadyMessage>();
    const slots = reserving(reservations);
    const { ok, plan } = await commitPlanned(storage, ready, {
      plan: async (items, failed) => {
        const open = await newest(reread, items, failed);
        const statuses = await statusesOf(sendsOf(open));
        const now = clock.now();
        const changes: MessageChange[] = [];
        const passed = open.filter((message) => {
          const sendStatus = statuses.get(message.sendRef.key) ?? null;
          const verdict = evaluateGates(list, message, { now, sendStatus });
          if (verdict.verdict === 'pass') return true;
          changes.push(stoppedChange(message.row, message.send?.step ?? null, verdict, now));
          return false;
        });
        const { writes: reserved, stopped } = await slots.reserve(passed, failed, now);
        for (const [{ row, send }, stop] of stopped) changes.push(stoppedChange(row, send?.step ?? null, stop, now));
        const going = stopped.size === 0 ? passed : passed.filter((message) => !stopped.has(message));
        const goingSet = new Set(going);
        const waiting = goingSet.size === open.length ? [] : open.filter((message) => !goingSet.has(message));
        const finalized = await finalize.plan(changes, now);
        return {
          going,
          // Shrinks with each message whose send closed, and with each one without a reservation left.
          open: passed.length * (ready.length + 1) - stopped.size,
          writes: [
            ...assignments(waiting),
            ...handOverWrites(going, statuses, now),
            ...going.flatMap((message) => preconditionWrites(message)),
            ...going.flatMap((message) => reserved.get(message) ?? []),
            ...finalized.writes,
          ],
          wakes: finalized.wakes,
          hooks: finalized.hooks,
        };
      },
      // Its fencing token moved on: another worker has it.
      isLost: ({ row }, failed) => failed.has(messageTag(row)),
      open: (one) => one.open,
    });
    if (!ok) throw new Error('the handover of these messages conflicts with other writers repeatedly');
    return plan?.going ?? [];
  };
};
