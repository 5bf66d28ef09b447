import type { Log } from '../../api.ts';
import type { Clock } from '../../primitives/clock.ts';
import type { ProviderConnection } from '../../providers/connections.ts';
import { isUnanswered } from '../../providers/dark.ts';
import type { SendOutcome } from '../../transports/port.ts';
import type { MessageRow } from '../store.ts';

/** How often one provider is told of; ours. */
const EVERY_MS = 60_000;

type Told = { saidAtMs: number; calls: number };

/** Hears what calls came to, and warns of a provider that gives no answer: at the first, then once a minute. */
export const unreachableWarning = ({ log, clock }: { readonly log: Pick<Log, 'warn'>; readonly clock: Clock }) => {
  const told = new WeakMap<object, Told>();
  return (
    connection: Pick<ProviderConnection, 'transport'>,
    { scopeId, channel }: Pick<MessageRow, 'scopeId' | 'channel'>,
    outcome: SendOutcome,
  ): void => {
    if (outcome.result !== 'retry' || !isUnanswered(outcome)) return;
    const nowMs = clock.now().getTime();
    const one = told.get(connection) ?? { saidAtMs: Number.NEGATIVE_INFINITY, calls: 0 };
    told.set(connection, one);
    one.calls += 1;
    if (nowMs - one.saidAtMs < EVERY_MS) return;
    const { calls } = one;
    one.saidAtMs = nowMs;
    one.calls = 0;
    const { code } = outcome;
    const provider = connection.transport.name;
    log.warn({ scopeId, channel, provider, code, calls }, 'a provider cannot be reached; its messages are tried again');
  };
};
