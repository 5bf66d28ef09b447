// Messages that come again later without having used an attempt: there is no capacity for them, or their provider
// refuses its credentials or gives no answer, and they are parked until it takes them.

import { type Write, write } from '../../../database/commit/write-set.ts';
import type { ChannelKey, ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { expiryMs } from '../rows.ts';
import { MESSAGES_QUEUE, type MessageReason, PARKED, UNREACHABLE } from '../schema.ts';
import type { LeasedRow } from '../statements.ts';
import type { ProviderLog } from './provider-log.ts';

/** Over how long parked messages come back, in milliseconds; ours. */
const SPREAD_MS = 1_000;

const REFUSED_TOO_LONG = {
  code: 'credential_rejected',
  message: 'The provider rejected the credentials for three days.',
};
const SILENT_TOO_LONG = { code: 'provider_unreachable', message: 'The provider did not respond for three days.' };

/** What holding messages uses. */
export type HoldContext = Pick<SendsContext, 'storage' | 'hot' | 'clock' | 'random' | 'connections' | 'log'> & {
  /** Ends messages as failed. */
  readonly fail: (rows: readonly LeasedRow[], code: string, message: string) => Promise<void>;
  /** Told how many messages are put off. */
  readonly held: ProviderLog['held'];
  /** Lets parked messages of a channel come again. Throws nothing. */
  readonly resume: (scope: InScope, channel: Channel) => void;
};

/** Until when nothing goes with these credentials; null: something may, or others have taken their place. */
export const refusedUntil = (connection: ProviderConnection, now: Date): Date | null =>
  connection.isRetired() ? null : connection.circuit.refusedUntil(now);

/** Puts leased messages off. */
export const holding = ({ storage, hot, clock, random, connections, fail, held, resume, log }: HoldContext) => {
  /** Nobody reacts to a message that waits a little longer, so this is a statement of its own and no change. */
  const putOff = async (
    rows: readonly LeasedRow[],
    dueAt: (row: LeasedRow, at: number) => Date,
    { reason = null, isHeldBack = false }: { reason?: MessageReason | null; isHeldBack?: boolean } = {},
  ) => {
    const writes = rows.map((row, at): Write => {
      const moment = dueAt(row, at);
      const deferredUntil = isHeldBack ? moment : null;
      return write(hot.putOff, { ...scopeOf(row), id: row.id, fence: row.fence, reason, dueAt: moment, deferredUntil });
    });
    if (writes.length > 0) await storage.commit({ writes });
  };

  /**
   * Asked once messages are parked on disk: whoever unparked before then, because there are other credentials or a probe
   * was taken, did not see these. Throws nothing.
   */
  const resumeLate = async (connection: ProviderConnection, key: ChannelKey): Promise<void> => {
    try {
      await connections.refresh(key);
      if (refusedUntil(connection, clock.now()) === null) resume(key, key.channel);
    } catch (error) {
      log.error({ scopeId: key.scopeId, channel: key.channel, error }, 'parked messages could not be made due');
    }
  };

  /** Until about then; those that would wait for too long end. */
  const hold = async (connection: ProviderConnection, rows: readonly LeasedRow[], until: Date): Promise<void> => {
    const [first] = rows;
    if (!first) return;
    const moments = new Map(
      rows.map((row) => [row, new Date(until.getTime() + Math.round(SPREAD_MS * random()))] as const),
    );
    const isTooOld = (row: LeasedRow): boolean => (moments.get(row) ?? until).getTime() >= expiryMs(row);
    const isUnresponsive = connection.circuit.isUnresponsive();
    const end = isUnresponsive ? SILENT_TOO_LONG : REFUSED_TOO_LONG;
    await fail(rows.filter(isTooOld), end.code, end.message);
    const waiting = rows.filter((row) => !isTooOld(row));
    await putOff(waiting, (row) => moments.get(row) ?? until, { reason: isUnresponsive ? UNREACHABLE : PARKED });
    held(connection, first, waiting.length, until);
    await resumeLate(connection, { ...scopeOf(first), channel: first.channel });
  };

  return {
    putOff,
    resumeLate,
    /** Puts them off until about then, or lets them come again at once where another provider takes them. */
    moveOn: async (connection: ProviderConnection, rows: readonly LeasedRow[], until: Date): Promise<void> => {
      const now = clock.now();
      if (!connection.hasFallback(now)) return hold(connection, rows, until);
      await putOff(rows, () => now);
      storage.wake.signal([MESSAGES_QUEUE]);
    },
  };
};
