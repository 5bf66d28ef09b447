// Makes the messages of sends that acceptance did not expand: large or scheduled ones. Each chunk is one transaction
// that writes its messages and moves the cursor, under the fencing token of the claim. After a crash another worker
// continues after the last chunk, and a worker that lost its lease writes nothing. A chunk need not be on disk before
// the next one is made: a message is handed over only after its claim, which is written later. Sends alternate chunk by
// chunk and wait while messages are late: expanding faster than sending would only queue messages in front of others.

import { setTimeout as sleep } from 'node:timers/promises';
import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { write } from '../../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../../database/statements/claim.ts';
import { nextTurn } from '../../../foundation/contained.ts';
import { type KeySet, keySet } from '../../../foundation/key-set.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { waitForAll } from '../../../foundation/wait-for-all.ts';
import { semaphore } from '../../../jobs/concurrency/semaphore.ts';
import type { Registration } from '../../../jobs/registration.ts';
import type { SendsContext } from '../context.ts';
import { finishWrites, noCounts } from '../finalize/counters.ts';
import { createdChange } from '../finalize/outcome.ts';
import { type EndSend, NO_RECIPIENTS_ENDING } from '../finalize/send-endings.ts';
import { messageRows, peopleOf, suppressedIn } from '../rows.ts';
import { isRecipient, MAX_INLINE, MESSAGES_QUEUE, NO_RECIPIENTS, SENDS_QUEUE } from '../schema.ts';
import type { AddressOfMessage, SendRow } from '../store.ts';
import type { Backlog } from './backlog.ts';
import { type Chunk, fanOut, placedIds } from './fan-out.ts';
import { type PartSize, partSize } from './part-size.ts';
import { type Cursor, cursorOf, partReader } from './parts.ts';

/** Dependencies of expansion. */
type ExpandContext = Pick<
  SendsContext,
  'storage' | 'tables' | 'store' | 'hot' | 'clock' | 'ids' | 'channels' | 'audiences' | 'loadProfiles' | 'finalize'
> & {
  readonly backlog: Pick<Backlog, 'cleared'>;
  readonly endSend: EndSend;
  /** Monotonic milliseconds, to measure parts. Default: the clock of this process. */
  readonly elapsedMs?: (() => number) | undefined;
};

/** Sends that one worker expands concurrently. Chosen: the memory per send is small. */
const MAX_IN_HAND = 64;
/** Chunks written concurrently. Chosen: one keeps the database busy. */
const CHUNKS = 1;

const TAG = 'send';
/** A database that failed lost chunks that were not on disk: the send restarts from the stored state. */
const LOST_MESSAGES = 'the last messages of this send are gone from the database';

/** True for a send that acceptance leaves to the worker for its size, whatever its start time. */
const isBulk = ({ audienceId, recipients }: SendRow): boolean => audienceId !== null || recipients.length > MAX_INLINE;

/** Progress of a send during one claim. */
type Progress = {
  cursor: Cursor;
  targeted: number;
  isBegun: boolean;
  readonly usedKeys: KeySet;
  readonly size: PartSize;
};

/** Retry delay for an audience that is still being computed, in milliseconds. Chosen: one second. */
const NOT_READY_MS = 1_000;
/** Messages per page when the addresses of an interrupted send are read again. Chosen: small in memory. */
const USED_ADDRESSES_PAGE = 5_000;

/** The worker of the queue `sends`. It writes everything while it handles a send, so `commit` has nothing to do. */
export const expander = (context: ExpandContext): Registration<SendRow, null> => {
  const { storage, tables, store, hot, clock, ids, channels, audiences, loadProfiles, backlog, finalize, endSend } =
    context;
  const { elapsedMs = () => performance.now() } = context;
  const partOf = partReader(channels, audiences);
  const fan = fanOut({ storage, tables, channels, audiences });
  const chunkPermits = semaphore(CHUNKS);
  const begun = new WeakSet<Claimed<SendRow>>();
  let lastCommits = 0;

  /** True if no two members of the audience share an address. */
  const hasUniqueAddresses = (send: SendRow): boolean =>
    send.audienceId !== null && channels[send.channel].isAddressOwn === true;
  const isComputed = async (send: SendRow, audienceId: string): Promise<boolean> =>
    send.expandedRecipients > 0 || audiences.isReady(send, audienceId);

  const isLeased = ({ fence }: SendRow, stored: SendRow): boolean =>
    stored.fence === fence && stored.dueAt !== null && (stored.status === 'queued' || stored.status === 'sending');
  const keyOf = (send: Claimed<SendRow>) => ({ ...scopeOf(send), id: send.id, fence: send.fence });

  /** Addresses used by earlier chunks; only an interrupted send has any. */
  const usedAddressesOf = async (send: SendRow): Promise<KeySet> => {
    const { addressKey } = channels[send.channel];
    const usedKeys = send.audienceId === null ? new Set<string>() : keySet();
    if ((send.expandedRecipients === 0 && send.expandedAddress === null) || hasUniqueAddresses(send)) return usedKeys;
    for (let after: string | null = null; ; ) {
      const page: readonly AddressOfMessage[] = await store.addressesOf(send, send.id, {
        after,
        limit: USED_ADDRESSES_PAGE,
      });
      for (const { address } of page) if (address !== null) usedKeys.add(addressKey(address));
      after = page.at(-1)?.id ?? null;
      if (page.length < USED_ADDRESSES_PAGE) return usedKeys;
    }
  };

  /** Reads the recipients of a part and makes their messages in code. */
  const readChunk = async (send: SendRow, { cursor, targeted, usedKeys }: Progress): Promise<Chunk> => {
    const now = clock.now();
    const { recipients, found, isContinued, next, isLast } = await partOf(send, cursor);
    const rows = messageRows({
      scope: send,
      sendId: send.id,
      isBulk: isBulk(send),
      channelName: send.channel,
      channel: channels[send.channel],
      content: send.content,
      recipients,
      profiles: await loadProfiles(peopleOf(send, recipients)),
      loaded: found,
      isContinued,
      usedKeys: hasUniqueAddresses(send) ? new Set() : usedKeys,
      now,
      // In the same id order as the messages that statements make, which have no id source.
      ids: send.audienceId === null ? ids : placedIds(now, targeted),
    });
    return { rows, fill: [], filled: 0, next, isLast };
  };

  /**
   * Makes the function that builds the next part. A part found by a statement is read again on each call, because who
   * is reached may change.
   */
  const maker = (send: SendRow, progress: Progress, most: number): (() => Promise<Chunk>) => {
    let read: Promise<Chunk> | undefined;
    return async () => {
      const { cursor, targeted: base } = progress;
      const found = read ? null : await fan(send, cursor, { most, base, now: clock.now() });
      if (found) return found;
      // Read once only: `readChunk` adds its addresses to `seen`.
      read ??= readChunk(send, progress);
      return read;
    };
  };

  /** True if others committed since the previous part, which made one commit itself. Unknown before the first part. */
  const othersWrote = (progress: Progress): boolean => {
    const commits = storage.commits();
    const hasOtherWriters = progress.isBegun && commits - lastCommits > 1;
    lastCommits = commits;
    progress.isBegun = true;
    return hasOtherWriters;
  };

  /** Null if the lease is lost, the send is closed, or stored progress differs from the earlier chunks. */
  const writeChunk = async (
    send: Claimed<SendRow>,
    make: () => Promise<Chunk>,
    { cursor: before, targeted: madeBefore }: Progress,
  ): Promise<Chunk | null> => {
    const { workflowRunId: runId, stepPath: path } = send;
    const step = runId === null || path === null ? null : { runId, path };
    const { ok, plan } = await commitPlanned(storage, [send], {
      plan: async () => {
        const chunk = await make();
        // Writes that arrived meanwhile go first.
        await nextTurn();
        const { rows, fill, filled, next, isLast } = chunk;
        const made = rows.length + filled;
        const targeted = madeBefore + made;
        const ended = suppressedIn(rows);
        const now = clock.now();
        const reacted = await finalize.react(
          ended.map((row) => createdChange(row, step)),
          now,
        );
        const hasNoRecipients = isLast && targeted === 0;
        const ending = hasNoRecipients ? await endSend(send, NO_RECIPIENTS_ENDING, now) : { writes: [], wakes: [] };
        const cursor = {
          expandedRecipients: before.at,
          newExpandedRecipients: next.at,
          expandedAddress: next.after,
          expandedPerson: next.person,
          tokenCount: isLast ? targeted : Math.max(send.tokenCount, targeted),
          targeted: made,
          suppressed: ended.length,
        };
        return {
          chunk,
          writes: [
            write(hot.advance, { ...keyOf(send), ...cursor }, TAG),
            ...(hasNoRecipients ? [write(hot.count, { ...noCounts(send, send.id), ...NO_RECIPIENTS })] : []),
            ...(isLast ? [write(hot.close, keyOf(send)), ...finishWrites(hot, [send], now)] : []),
            ...rows.map((row) => write(hot.insertMessage, row)),
            ...fill,
            ...reacted.writes,
            ...ending.writes,
          ],
          wakes: [MESSAGES_QUEUE, ...reacted.wakes, ...ending.wakes],
          hooks: reacted.hooks,
          // Commit hooks must not report writes that could still be lost. The member count reveals a lost chunk, unless
          // the chunk ends within a member.
          mayBeLost: !isLast && next.after === null && reacted.hooks.length === 0,
        };
      },
      isLost: (_, failed) => failed.has(TAG),
    });
    if (!ok) throw new Error('reactions to these messages conflict with other writers repeatedly');
    return plan?.chunk ?? null;
  };

  /**
   * Writes one chunk when a permit is free. False after the last chunk, or if the lease is lost or the send is closed.
   */
  const expandOnce = async (send: Claimed<SendRow>, progress: Progress, signal: AbortSignal): Promise<boolean> => {
    await chunkPermits.acquire(signal);
    signal.throwIfAborted();
    try {
      await backlog.cleared(signal);
      signal.throwIfAborted();
      // Requests that wait in their sockets write first.
      await nextTurn();
      const most = progress.size.people(othersWrote(progress));
      const start = elapsedMs();
      const chunk = await writeChunk(send, maker(send, progress, most), progress);
      if (chunk === null) {
        const stored = await store.send(send, send.channel, send.id);
        if (stored && isLeased(send, stored)) throw new Error(LOST_MESSAGES);
        // Cancelled: nothing is left to do. Lease lost: the fencing token prevents closing the work of another worker.
        await storage.commit({ writes: [write(hot.close, keyOf(send))] });
        return false;
      }
      progress.size.took(elapsedMs() - start, chunk.next.at - progress.cursor.at);
      progress.cursor = chunk.next;
      progress.targeted += chunk.rows.length + chunk.filled;
      if (chunk.isLast) return false;
      const restMs = progress.size.restMs();
      if (restMs > 0) await sleep(restMs, undefined, { signal });
      return true;
    } finally {
      chunkPermits.release();
    }
  };

  /**
   * Current progress of a send. A retry after a failed batch has the row as claimed, but chunks may have been written
   * since.
   */
  const current = async (send: Claimed<SendRow>): Promise<Claimed<SendRow>> => {
    if (begun.has(send)) return { ...send, ...(await store.send(send, send.channel, send.id)), fence: send.fence };
    begun.add(send);
    return send;
  };

  const expand = async (claimed: Claimed<SendRow>, signal: AbortSignal): Promise<void> => {
    const send = await current(claimed);
    // The last chunk was written, but the worker did not report it as done.
    if (send.dueAt === null) return;
    if (send.audienceId !== null && !(await isComputed(send, send.audienceId))) {
      const dueAt = new Date(clock.now().getTime() + NOT_READY_MS);
      await storage.commit({ writes: [write(hot.putOffSend, { ...keyOf(send), dueAt })] });
      return;
    }
    const usedKeys = await usedAddressesOf(send);
    const progress: Progress = {
      cursor: cursorOf(send),
      targeted: send.targeted,
      isBegun: false,
      usedKeys,
      size: partSize(storage.dialect.name),
    };
    while (await expandOnce(send, progress, signal));
  };

  return {
    name: SENDS_QUEUE,
    claim: claimable(SENDS_QUEUE, tables.sends),
    maxInHand: MAX_IN_HAND,
    // A stopping worker leaves the next chunk to another one.
    process: async (rows, done, { draining }) => {
      await waitForAll(
        rows.map(async (send) => {
          await expand(send, draining);
          done(send, null);
        }),
      );
    },
    commit: async () => undefined,
    deadLetter: async (send, reason) => {
      // Chunks may have been written since the claim.
      const stored = (await store.send(send, send.channel, send.id)) ?? send;
      const { expandedRecipients: expanded, tokenCount, targeted } = stored;
      // The audience members that would still have been reached are unknown; estimate them.
      const rest =
        send.audienceId === null
          ? send.recipients.slice(expanded).filter(isRecipient).length
          : Math.max(1, tokenCount - targeted);
      const lost = { expandedRecipients: expanded + rest, targeted: rest, failed: rest };
      const error = 'The recipients could not be expanded.';
      const now = clock.now();
      // Recipients without messages have no message event, so the send itself raises one.
      const isOpen = stored.status === 'queued' || stored.status === 'sending';
      const failure = { name: 'push.failed', errorCode: reason } as const;
      const ended = isOpen ? await endSend(send, failure, now) : { writes: [], wakes: [] };
      await storage.commit({
        writes: [
          write(hot.deadLetter, { ...keyOf(send), ...lost, errorCode: reason, error }),
          write(hot.close, keyOf(send)),
          ...finishWrites(hot, [send], now),
          ...ended.writes,
        ],
        wakes: ended.wakes,
      });
    },
  };
};
