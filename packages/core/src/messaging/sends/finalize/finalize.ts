// Writes changes of messages. Every stage that ends or changes messages commits them through this module: their rows
// under their leases, and what reactions write about them.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { SendingStatements } from '../statements.ts';
import { hasEnded, type MessageChange, messageTag } from './change.ts';
import { counters } from './counters.ts';
import { type BoundMessageReaction, bindMessageReaction, type Reacted } from './reactions.ts';

export type Finalize = {
  /** True if a reaction needs the message changes of a cancelled send. */
  concernsSend(change: MessageChange): Promise<boolean>;
  /** The writes of reactions to changes whose rows the caller writes. */
  react(changes: readonly MessageChange[], now: Date): Promise<Required<Reacted>>;
  /** The same, plus the rows under their leases, each guarded by its `messageTag`. */
  plan(changes: readonly MessageChange[], now: Date): Promise<Required<Reacted>>;
  /** Commits changes; a change whose lease was lost is dropped. Throws what the storage throws. */
  commit(changes: readonly MessageChange[], now: Date): Promise<void>;
};

/** The values of a changed message, for `finalizeStatement`. Throws nothing. */
export const finalizedValues = (change: MessageChange) => ({
  ...scopeOf(change),
  id: change.messageId,
  fence: change.fence,
  status: change.status,
  attempt: change.attempt,
  reason: change.reason,
  errorCode: change.errorCode,
  error: change.error,
  providerId: change.providerId,
  deferredAt: change.status === 'deferred' ? change.at : null,
  deferredUntil: change.status === 'deferred' ? change.dueAt : null,
  sentAt: change.status === 'sent' ? change.at : null,
  finishedAt: hasEnded(change.status) ? change.at : null,
  dueAt: change.dueAt,
});

const tagOf = (change: MessageChange): string => messageTag({ ...scopeOf(change), id: change.messageId });

/** An accepted message needs the shortest statement. */
const finalizeWrite = (hot: SendingStatements, change: MessageChange): Write => {
  const tag = tagOf(change);
  const { scopeId, messageId: id, fence, status, attempt, providerId, at } = change;
  if (status !== 'sent' || change.reason !== null || change.errorCode !== null || change.error !== null)
    return write(hot.finalizeStatement, finalizedValues(change), tag);
  return write(hot.finalizeSent, { scopeId, id, fence, status, attempt, providerId, sentAt: at, finishedAt: at }, tag);
};

/** Makes the only writer of message endings. */
export const finalizer = ({
  storage,
  hot,
  reactions,
}: {
  readonly storage: Pick<Storage, 'commit'>;
  readonly hot: SendingStatements;
  /** In write order, after the counters. */
  readonly reactions: readonly BoundMessageReaction[];
}): Finalize => {
  const all = [bindMessageReaction(counters(hot)), ...reactions];

  const react: Finalize['react'] = async (changes, now) => {
    const planning = all.flatMap((reaction) => {
      const mine = changes.filter(reaction.concerns);
      return mine.length === 0 ? [] : [reaction.load(mine)];
    });
    const reacted = (await Promise.all(planning)).map((planned) => planned(now));
    return {
      writes: reacted.flatMap(({ writes }) => writes),
      wakes: [...new Set(reacted.flatMap(({ wakes }) => wakes ?? []))],
      hooks: reacted.flatMap(({ hooks }) => hooks ?? []),
    };
  };

  const plan: Finalize['plan'] = async (changes, now) => {
    const { writes, wakes, hooks } = await react(changes, now);
    const rows = changes.map((change) => finalizeWrite(hot, change));
    return { writes: [...writes, ...rows], wakes, hooks };
  };

  return {
    concernsSend: async (change) => {
      const planning = all.map(({ concerns, concernsSend }) => concernsSend?.(change) ?? concerns(change));
      return (await Promise.all(planning)).some(Boolean);
    },
    react,
    plan,
    commit: async (changes, now) => {
      const { ok } = await commitPlanned(storage, changes, {
        plan: (open) => plan(open, now),
        isLost: (change, failed) => failed.has(tagOf(change)),
      });
      if (!ok) throw new Error('reactions to these messages conflict with other writers repeatedly');
    },
  };
};
