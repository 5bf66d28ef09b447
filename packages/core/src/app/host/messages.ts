import type { CommitHook } from '../../database/commit/commit-hook.ts';
import type { Log } from '../../foundation/log.ts';
import { lru } from '../../foundation/lru.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type ScopeDirectory, type ScopeLookup, scopeKey } from '../../foundation/scope.ts';
import { hasEnded, type MessageChange } from '../../messaging/sends/finalize/change.ts';
import type { MessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import type { AfterCommit } from './after-commit.ts';
import type { EndedMessage, Hook } from './hooks.ts';

/** Attempts of a hook for one message. Chosen: fewer than a row may fail before it is dead-lettered. */
const TRIES = 3;
/** Messages whose failed attempts are remembered. Chosen: far more than ever fail at a time. */
const MAX_FAILING = 10_000;

type Ending = { readonly message: EndedMessage; readonly isCreatedFinal: boolean };
type End = EndedMessage['status'];

const ENDS: ReadonlySet<string> = new Set(['sent', 'failed', 'bounced', 'suppressed', 'cancelled'] satisfies End[]);
const isEnd = (status: string): status is End => ENDS.has(status);

const endingOf = (change: MessageChange, status: End, scopeAt: ScopeLookup): Ending => ({
  isCreatedFinal: change.from === null,
  message: {
    id: change.messageId,
    sendId: change.sendId,
    scope: scopeAt(scopeKey(change)),
    channel: change.channel,
    userId: change.person === null ? null : userIdOf(change.person),
    anonymousId: change.person === null ? null : anonymousIdOf(change.person),
    status,
    reason: change.reason,
    errorCode: change.errorCode,
    error: change.error,
    providerId: change.providerId,
    endedAt: change.at,
  },
});

/** Passes messages with a final status to the host. */
export const notifyOfMessages = (
  { during }: Pick<Hook<EndedMessage>, 'during'>,
  after: AfterCommit<EndedMessage> | null,
  { scopes, log }: { readonly scopes: ScopeDirectory; readonly log: Pick<Log, 'error'> },
): MessageReaction<ScopeLookup> => {
  const failures = lru<string, number>(MAX_FAILING);

  const hookOf = (endings: readonly Ending[]): CommitHook => ({
    items: endings,
    ...(during && {
      // Safe: the items are those above.
      inTransaction: (items, tx) =>
        during(
          (items as readonly Ending[]).map(({ message }) => message),
          tx,
        ),
    }),
    isSkipped: (item, error) => {
      // Safe: as above.
      const { message, isCreatedFinal } = item as Ending;
      const tries = (failures.get(message.id) ?? 0) + 1;
      failures.set(message.id, tries);
      // A message created in this commit has another id in a retry, and would be rejected forever.
      if (!isCreatedFinal && tries < TRIES) return false;
      failures.delete(message.id);
      log.error(
        { hook: 'messages.during', messageId: message.id, scopeId: message.scope.scopeId, error: error.reason },
        'a hook threw: its message ends without it',
      );
      return true;
    },
    ...(after && { afterCommit: () => after.add(endings.map(({ message }) => message)) }),
  });

  return {
    name: 'hooks of the host',
    concerns: ({ from, status }) => isEnd(status) && (from === null || !hasEnded(from)),
    load: (changes) => scopes.load(changes.map(scopeKey)),
    plan: (changes, scopeAt) => ({
      writes: [],
      hooks: [hookOf(changes.flatMap((one) => (isEnd(one.status) ? [endingOf(one, one.status, scopeAt)] : [])))],
    }),
  };
};
