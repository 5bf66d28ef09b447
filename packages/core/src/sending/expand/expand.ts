// Makes messages of a send that acceptance did not expand: one with more recipients, or one for later. Each chunk is
// one transaction that writes its messages and moves the cursor, under the fence of the claim: a worker that died is
// continued after its last chunk, and one that lost its lease writes nothing. Sends take turns, chunk by chunk, and
// wait while messages are behind: what is expanded faster than it is sent would only stand before everybody else's.

import { allEnded } from '../../primitives/all-ended.ts';
import type { Clock } from '../../primitives/clock.ts';
import type { Ids } from '../../primitives/ids.ts';
import { scopeOf } from '../../primitives/scope.ts';
import type { LoadProfiles } from '../../profiles/view.ts';
import { type Claimed, claimable } from '../../storage/claim.ts';
import { commitPlanned } from '../../storage/commit-planned.ts';
import type { Storage } from '../../storage/storage.ts';
import { write } from '../../storage/write-set.ts';
import { semaphore } from '../../work/concurrency/semaphore.ts';
import type { Registration } from '../../work/registration.ts';
import type { Channels, Loaded } from '../channel.ts';
import type { SendingHot } from '../hot.ts';
import { messageRows, peopleOf, suppressedIn } from '../rows.ts';
import { CHUNK, CHUNK_ADDRESSES, isSomebody, MESSAGES_QUEUE, type Recipients, SENDS_QUEUE } from '../schema.ts';
import { finishWrites } from '../settle/counters.ts';
import { bornChange } from '../settle/outcome.ts';
import type { Settle } from '../settle/settle.ts';
import type { MessageRow, SendingStore, SendRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';
import type { Backlog } from './backlog.ts';

export type ExpandDeps = {
  readonly storage: Pick<Storage, 'commit'>;
  readonly tables: SendingTables;
  readonly store: SendingStore;
  readonly hot: SendingHot;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly channels: Channels;
  readonly loadProfiles: LoadProfiles;
  readonly backlog: Pick<Backlog, 'cleared'>;
  readonly settle: Pick<Settle, 'react'>;
};

/** Sends that one worker expands side by side; ours: what it remembers of each is small. */
const MAX_IN_HAND = 64;
/** Chunks at a time; ours: one keeps the database busy by itself. */
const CHUNKS = 1;

const TAG = 'send';

/** How far a send is expanded: this many recipients, and of the next one the addresses up to `after`. */
type Cursor = { readonly at: number; readonly after: string | null };

/** One transaction's worth. */
type Chunk = { readonly rows: readonly MessageRow[]; readonly next: Cursor };

/** What a send counts while it is expanded by one claim. */
type Progress = { cursor: Cursor; targeted: number; readonly seen: Set<string> };

const NOTHING: Loaded = { found: new Map(), next: null };

/** The work of the queue `sends`. Everything is written while a send is handled, so nothing is left to finish. */
export const expander = (deps: ExpandDeps): Registration<SendRow, null> => {
  const { storage, tables, store, hot, clock, ids, channels, loadProfiles, backlog, settle } = deps;
  const turns = semaphore(CHUNKS);
  const begun = new WeakSet<Claimed<SendRow>>();

  const keyOf = (send: Claimed<SendRow>) => ({ ...scopeOf(send), id: send.id, fence: send.fence });

  /** Addresses that earlier chunks used; only a send that is taken up again has any. */
  const seenBy = async (send: SendRow): Promise<Set<string>> => {
    const { addressKey } = channels[send.channel];
    const isNew = send.expanded === 0 && send.expandedTo === null;
    return new Set(isNew ? [] : (await store.addressesOf(send, send.id)).map((address) => addressKey(address)));
  };

  /** As many recipients from the cursor on as have few enough addresses; at least one. */
  const load = async (
    send: SendRow,
    { at, after }: Cursor,
  ): Promise<Loaded & { places: number; recipients: Recipients }> => {
    const { load: read } = channels[send.channel];
    for (let count = after === null ? CHUNK : 1; ; count = Math.ceil(count / 2)) {
      const all = send.recipients.slice(at, at + count);
      const [places, recipients] = [all.length, all.filter(isSomebody)];
      if (!read) return { ...NOTHING, places, recipients };
      const wanted = recipients.map((recipient) => ({ ...scopeOf(send), recipient }));
      const loaded = await read(wanted, { after, limit: CHUNK_ADDRESSES });
      if (loaded) return { ...loaded, places, recipients };
      if (count === 1) throw new Error('a single recipient was not read in windows');
    }
  };

  const chunkOf = async (send: SendRow, cursor: Cursor, seen: Set<string>): Promise<Chunk> => {
    const { places, recipients, found, next } = await load(send, cursor);
    const rows = messageRows({
      scope: send,
      sendId: send.id,
      channelName: send.channel,
      channel: channels[send.channel],
      content: send.content,
      recipients,
      profiles: await loadProfiles(peopleOf(send, recipients)),
      loaded: found,
      isContinued: cursor.after !== null || next !== null,
      seen,
      now: clock.now(),
      ids,
    });
    return {
      rows,
      next: next === null ? { at: cursor.at + places, after: null } : { at: cursor.at, after: next },
    };
  };

  /** False when the send is no longer ours, or no longer to be expanded. */
  const writeChunk = async (send: Claimed<SendRow>, { rows, next }: Chunk, before: number): Promise<boolean> => {
    const isLast = next.at >= send.recipients.length;
    const targeted = before + rows.length;
    const ended = suppressedIn(rows);
    const { workflowRunId: runId, stepPath: path } = send;
    const step = runId === null || path === null ? null : { runId, path };
    const cursor = {
      expanded: next.at,
      expandedTo: next.after,
      tokenCount: isLast ? targeted : Math.max(send.tokenCount, targeted),
      targeted: rows.length,
      suppressed: ended.length,
    };
    const { ok, plan } = await commitPlanned(storage, [send], {
      plan: async () => {
        const now = clock.now();
        const reacted = await settle.react(
          ended.map((row) => bornChange(row, step)),
          now,
        );
        return {
          writes: [
            write(hot.advance, { ...keyOf(send), ...cursor }, TAG),
            ...(isLast ? [write(hot.close, keyOf(send)), ...finishWrites(hot, [send], now)] : []),
            ...rows.map((row) => write(hot.insertMessage, row)),
            ...reacted.writes,
          ],
          wakes: [MESSAGES_QUEUE, ...reacted.wakes],
          along: reacted.along,
        };
      },
      isLost: (_, failed) => failed.has(TAG),
    });
    if (!ok) throw new Error('what reacts to these messages changes faster than it is planned');
    return plan !== null;
  };

  /** One chunk, when it is its turn; false when the send is no longer ours, or no longer to be expanded. */
  const expandOnce = async (send: Claimed<SendRow>, progress: Progress, signal: AbortSignal): Promise<boolean> => {
    await turns.acquire(signal);
    signal.throwIfAborted();
    try {
      await backlog.cleared(signal);
      signal.throwIfAborted();
      const chunk = await chunkOf(send, progress.cursor, progress.seen);
      if (!(await writeChunk(send, chunk, progress.targeted))) {
        // Cancelled: nothing is left to do. Lost: the fence keeps this from closing somebody else's work.
        await storage.commit({ writes: [write(hot.close, keyOf(send))] });
        return false;
      }
      progress.cursor = chunk.next;
      progress.targeted += chunk.rows.length;
      return true;
    } finally {
      turns.release();
    }
  };

  /** How far a send is. Where its batch threw it is tried again as it was claimed, and chunks may be written since. */
  const current = async (send: Claimed<SendRow>): Promise<Claimed<SendRow>> => {
    if (begun.has(send)) return { ...send, ...(await store.send(send, send.channel, send.id)), fence: send.fence };
    begun.add(send);
    return send;
  };

  const expand = async (claimed: Claimed<SendRow>, signal: AbortSignal): Promise<void> => {
    const send = await current(claimed);
    const progress: Progress = {
      cursor: { at: send.expanded, after: send.expandedTo },
      targeted: send.targeted,
      seen: await seenBy(send),
    };
    while (progress.cursor.at < send.recipients.length && (await expandOnce(send, progress, signal)));
  };

  return {
    name: SENDS_QUEUE,
    claim: claimable(SENDS_QUEUE, tables.sends),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done, { signal }) => {
      await allEnded(
        rows.map(async (send) => {
          await expand(send, signal);
          done(send, null);
        }),
      );
    },
    commit: async () => undefined,
    giveUp: async (send, reason) => {
      // Chunks may have been written since the claim.
      const expanded = (await store.send(send, send.channel, send.id))?.expanded ?? send.expanded;
      const rest = send.recipients.slice(expanded).filter(isSomebody).length;
      const lost = { expanded: send.recipients.length, targeted: rest, failed: rest };
      const error = 'The recipients could not be expanded.';
      await storage.commit({
        writes: [
          write(hot.giveUp, { ...keyOf(send), ...lost, errorCode: reason, error }),
          write(hot.close, keyOf(send)),
          ...finishWrites(hot, [send], clock.now()),
        ],
      });
    },
  };
};
