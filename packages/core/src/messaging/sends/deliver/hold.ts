// Messages that become due later without using an attempt: there is no capacity, or they are held because their
// provider rejects its credentials or does not respond.

import { type Write, write } from '../../../database/commit/write-set.ts';
import type { ChannelKey, ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { SendsContext } from '../context.ts';
import { expiryMs } from '../rows.ts';
import { HELD, MESSAGES_QUEUE, type MessageReason, UNREACHABLE } from '../schema.ts';
import type { LeasedRow } from '../statements.ts';
import type { ProviderLog } from './provider-log.ts';

/** Held messages resume spread over this time, in milliseconds. Chosen: one second avoids a burst. */
const SPREAD_MS = 1_000;

const REFUSED_TOO_LONG = {
  code: 'credential_rejected',
  message: 'The provider rejected the credentials for three days.',
};
const SILENT_TOO_LONG = { code: 'provider_unreachable', message: 'The provider did not respond for three days.' };

/** Dependencies of holding messages. */
export type HoldContext = Pick<SendsContext, 'storage' | 'hot' | 'clock' | 'random' | 'connections' | 'log'> & {
  /** Ends messages as failed. */
  readonly fail: (rows: readonly LeasedRow[], code: string, message: string) => Promise<void>;
  /** Reports how many messages are held. */
  readonly held: ProviderLog['held'];
  /** Makes held messages of a channel due. Throws nothing. */
  readonly resume: (scope: InScope, channel: Channel) => void;
};

/** Until when these credentials are not used; null: they may be used, or newer ones replaced them. */
export const refusedUntil = (connection: ProviderConnection, now: Date): Date | null =>
  connection.isRetired() ? null : connection.circuit.refusedUntil(now);

/** Makes the functions that make leased messages due later. */
export const holding = ({ storage, hot, clock, random, connections, fail, held, resume, log }: HoldContext) => {
  /** Makes messages due later. This triggers no reactions, so it is no message change. */
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
   * Checked after the held messages are committed: a resume before then, after new credentials or an accepted probe,
   * missed them. Throws nothing.
   */
  const resumeLate = async (connection: ProviderConnection, key: ChannelKey): Promise<void> => {
    try {
      await connections.refresh(key);
      if (refusedUntil(connection, clock.now()) === null) resume(key, key.channel);
    } catch (error) {
      log.error({ scopeId: key.scopeId, channel: key.channel, error }, 'held messages could not be made due');
    }
  };

  /** Holds messages until about `until`; those that would become too old fail. */
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
    await putOff(waiting, (row) => moments.get(row) ?? until, { reason: isUnresponsive ? UNREACHABLE : HELD });
    held(connection, first, waiting.length, until);
    await resumeLate(connection, { ...scopeOf(first), channel: first.channel });
  };

  return {
    putOff,
    resumeLate,
    /** Holds messages until about `until`, or makes them due at once if there is a fallback. */
    moveOn: async (connection: ProviderConnection, rows: readonly LeasedRow[], until: Date): Promise<void> => {
      const now = clock.now();
      if (!connection.hasFallback(now)) return hold(connection, rows, until);
      await putOff(rows, () => now);
      storage.wake.signal([MESSAGES_QUEUE]);
    },
  };
};
