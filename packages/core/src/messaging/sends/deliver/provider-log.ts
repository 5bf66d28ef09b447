import { isUnanswered } from '../../../delivery/providers/circuit.ts';
import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { Log } from '../../../foundation/log.ts';
import type { MessageRow } from '../store.ts';

/** Interval between lines for one provider and reason. Chosen: an outage of an hour makes 60 lines. */
const EVERY_MS = 60_000;
/** Reasons of one provider with their own lines; further ones share one. Chosen: providers have fewer. */
const MAX_REASONS = 20;
const OTHERS = 'others';

/** Log messages about a provider. */
const LINES = {
  refuses: 'a provider refuses its credentials; its messages are held',
  rejects: 'a provider rejects messages',
  unreachable: 'a provider cannot be reached; its messages are tried again',
  busy: 'a provider takes no messages for now; they are tried again',
  held: 'messages are held until their provider takes them',
} as const;
type Kind = keyof typeof LINES;

type LoggedReason = { loggedAtMs: number; count: number };
type Key = Pick<MessageRow, 'scopeId' | 'channel'>;
type Connection = Pick<ProviderConnection, 'transport'>;

const kindOf = (outcome: SendOutcome): Kind | null => {
  if (outcome.result === 'credential') return 'refuses';
  // An address problem is no fault of the provider; the message has it.
  if (outcome.result === 'failed') return outcome.address === undefined ? 'rejects' : null;
  if (outcome.result !== 'retry') return null;
  return isUnanswered(outcome) ? 'unreachable' : 'busy';
};

export type ProviderLog = {
  /** Records the answer of a call. */
  answered(connection: Connection, key: Key, outcome: SendOutcome): void;
  /** Records messages that are held until then without an attempt. */
  held(connection: Connection, key: Key, messages: number, heldUntil: Date): void;
};

/**
 * Logs what providers reject and how many messages they hold up. For each connection and reason: the first time, then
 * once a minute with the number since the previous line. Lines have codes and ids only.
 */
export const providerLog = ({
  log,
  clock,
}: {
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
}): ProviderLog => {
  const reasonsByConnection = new WeakMap<object, Map<string, LoggedReason>>();

  const say = (
    connection: Connection,
    { scopeId, channel }: Key,
    kind: Kind,
    count: number,
    more: { readonly code?: string; readonly heldUntil?: Date },
  ): void => {
    const reasons = reasonsByConnection.get(connection) ?? new Map<string, LoggedReason>();
    reasonsByConnection.set(connection, reasons);
    const key = `${kind} ${more.code ?? ''}`;
    const reason = reasons.has(key) || reasons.size < MAX_REASONS ? key : OTHERS;
    const one = reasons.get(reason) ?? { loggedAtMs: Number.NEGATIVE_INFINITY, count: 0 };
    reasons.set(reason, one);
    one.count += count;
    const nowMs = clock.now().getTime();
    // A clock that was set back must not silence the log.
    if (nowMs >= one.loggedAtMs && nowMs - one.loggedAtMs < EVERY_MS) return;
    const counted = kind === 'held' ? { messages: one.count } : { calls: one.count };
    one.loggedAtMs = nowMs;
    one.count = 0;
    log.warn({ scopeId, channel, provider: connection.transport.name, ...more, ...counted }, LINES[kind]);
  };

  return {
    answered: (connection, key, outcome) => {
      const kind = kindOf(outcome);
      if (kind === null || outcome.result === 'accepted') return;
      say(connection, key, kind, 1, { code: outcome.code });
    },
    held: (connection, key, messages, heldUntil) => {
      if (messages > 0) say(connection, key, 'held', messages, { heldUntil });
    },
  };
};
