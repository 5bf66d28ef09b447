import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { anonymousPerson } from '../../foundation/person.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Cause, Emitter, LoadedEmitter } from '../../people/events/emit.ts';
import type { AddressFeedback } from '../sends/channel.ts';
import type { MessageChange } from '../sends/finalize/change.ts';
import type { MessageReaction, Reacted } from '../sends/finalize/reactions.ts';
import { causesOf, type LoadCauses } from '../sends/lifecycle.ts';
import { pushStatements } from './statements.ts';
import type { PushTables } from './tables.ts';

const INVALIDATED = 'push.token_invalidated';
const NOTHING: Reacted = { writes: [] };

type TokenState = Pick<
  PushTables['pushTokens']['$inferSelect'],
  'scopeId' | 'id' | 'person' | 'platform' | 'isActive' | 'registeredAt'
>;

type Loaded = {
  readonly rows: readonly TokenState[];
  readonly emission: LoadedEmitter;
  readonly causeOf: (change: MessageChange) => Cause;
};

const tokenTag = (scope: InScope, id: string): string => `t:${scopeKey(scope)}/${id}`;

/** The feedback on a token and the message that got it; with several messages the last. */
type FeedbackChange = { readonly change: MessageChange; readonly feedback: AddressFeedback };

/**
 * Applies provider feedback on tokens in the transaction that ends their messages. A dead token becomes inactive and
 * raises `push.token_invalidated` once, unless the device registered it again after `deadSince`. Guarded: if the token
 * changes concurrently, the commit fails with its tag, and everything is loaded and planned again. Unregistered tokens
 * have no row and cause no write.
 */
export const deadTokens = ({
  storage,
  tables,
  emitter,
  causes,
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly tables: PushTables;
  readonly emitter: Emitter;
  readonly causes: LoadCauses;
}): MessageReaction<Loaded> => {
  const hot = pushStatements(tables);

  const ending = (
    { emission: { emit }, causeOf }: Loaded,
    row: TokenState,
    change: MessageChange,
    now: Date,
  ): Reacted => {
    const { id, registeredAt, platform } = row;
    const { messageId } = change;
    const scope = scopeOf(row);
    const inactive = { isActive: false, lastError: 'dead', updatedAt: now };
    const raised = emit({
      id: derivedId(now, `${INVALIDATED}/${id}/${messageId}`),
      name: INVALIDATED,
      scope,
      // A device without a user is identified by its token id.
      person: row.person ?? anonymousPerson(id),
      properties: { tokenId: id, platform, messageId },
      at: now,
      ...causeOf(change),
    });
    return {
      writes: [
        write(hot.deactivate, { ...scope, id, registeredAt, ...inactive }, tokenTag(scope, id)),
        ...raised.writes,
      ],
      wakes: raised.wakes,
    };
  };

  /** By the tag of the token. */
  const feedbackByToken = (changes: readonly MessageChange[]): ReadonlyMap<string, FeedbackChange> =>
    new Map(
      changes.flatMap((change) => {
        const { feedback } = change;
        const tokenId = feedback?.facts.tokenId;
        return feedback && tokenId !== undefined ? [[tokenTag(change, tokenId), { change, feedback }] as const] : [];
      }),
    );

  return {
    name: 'dead tokens',
    concerns: ({ channel, feedback }) => channel === 'push' && feedback?.facts.tokenId !== undefined,
    load: async (changes) => {
      const keys = [...feedbackByToken(changes).values()].map(({ change, feedback }) => [
        scopeKey(change),
        feedback.facts.tokenId ?? '',
      ]);
      const [rows, emission] = await Promise.all([storage.select(hot.current, keys), emitter.load(changes)]);
      const causeOf = await causesOf(
        causes,
        changes.filter((change) => emission.hasSubscribers(change, INVALIDATED)),
      );
      // Sorted, so that two workers with the same tokens lock them in one order.
      return { rows: rows.sort((a, b) => (a.id < b.id ? -1 : 1)), emission, causeOf };
    },
    plan: (changes, loaded, now) => {
      const feedbackOf = feedbackByToken(changes);
      const reacted = loaded.rows.map((row): Reacted => {
        const one = feedbackOf.get(tokenTag(row, row.id));
        if (!one) return NOTHING;
        const { id, registeredAt } = row;
        const { feedback, change } = one;
        if (feedback.kind === 'apns_environment')
          return {
            writes: [
              write(hot.learn, { ...scopeOf(row), id, registeredAt, apnsEnvironment: feedback.apnsEnvironment }),
            ],
          };
        const isDead =
          feedback.kind === 'dead' &&
          row.isActive &&
          (feedback.deadSince === null || row.registeredAt <= feedback.deadSince);
        return isDead ? ending(loaded, row, change, now) : NOTHING;
      });
      return {
        writes: reacted.flatMap(({ writes }) => writes),
        wakes: reacted.flatMap(({ wakes = [] }) => wakes),
      };
    },
  };
};
