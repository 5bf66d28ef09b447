import type { SystemEvents } from '../events/system-events.ts';
import { anonymousPerson } from '../primitives/person.ts';
import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { AddressFeedback } from '../sending/channel.ts';
import type { MessageChange } from '../sending/settle/change.ts';
import type { MessageReaction } from '../sending/settle/reactions.ts';
import type { Storage } from '../storage/storage.ts';
import { type Write, write } from '../storage/write-set.ts';
import { pushHot } from './hot.ts';
import type { PushTables } from './tables.ts';

export type DeadTokensDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly tables: PushTables;
  readonly events: SystemEvents;
};

type TokenState = Pick<
  PushTables['pushTokens']['$inferSelect'],
  'scopeId' | 'id' | 'person' | 'platform' | 'isActive' | 'registeredAt'
>;

const tokenTag = (scope: InScope, id: string): string => `t:${scopeKey(scope)}/${id}`;

/** What was told of a token, and by which message; the last where several were sent to it. */
type Told = { readonly change: MessageChange; readonly feedback: AddressFeedback };

/**
 * What providers told of tokens, for the transaction that ends their messages. A dead token becomes inactive and its
 * `push.token_invalidated` is stored, once, unless the device registered it again after `deadSince`: it knows better.
 * Guarded: a token that changes in between fails the commit with its tag, and is loaded and planned again. Tokens that
 * nobody registered have no row and nothing to write.
 */
export const deadTokens = ({ storage, tables, events }: DeadTokensDeps): MessageReaction<readonly TokenState[]> => {
  const hot = pushHot(tables);

  const ending = (row: TokenState, messageId: string, now: Date): Write[] => {
    const { id, registeredAt, platform } = row;
    const scope = scopeOf(row);
    return [
      write(
        hot.deactivate,
        { ...scope, id, registeredAt, isActive: false, lastError: 'dead', updatedAt: now },
        tokenTag(scope, id),
      ),
      events.write({
        scope,
        // Somebody who was never named is known by the device alone.
        person: row.person ?? anonymousPerson(id),
        module: 'push',
        eventType: 'push.token_invalidated',
        properties: { tokenId: id, platform, messageId },
        at: now,
      }),
    ];
  };

  /** By the tag of the token. */
  const toldOf = (changes: readonly MessageChange[]): ReadonlyMap<string, Told> =>
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
      const keys = [...toldOf(changes).values()].map(({ change, feedback }) => [
        scopeKey(change),
        feedback.facts.tokenId ?? '',
      ]);
      // Two workers that end the same tokens lock them in one order.
      return (await storage.select(hot.states, keys)).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    plan: (changes, rows, now) => {
      const told = toldOf(changes);
      const writes = rows.flatMap((row): Write[] => {
        const one = told.get(tokenTag(row, row.id));
        if (!one) return [];
        const { id, registeredAt } = row;
        const { feedback, change } = one;
        if (feedback.kind === 'apns_environment')
          return [write(hot.learn, { ...scopeOf(row), id, registeredAt, apnsEnvironment: feedback.apnsEnvironment })];
        const isDead =
          feedback.kind === 'dead' &&
          row.isActive &&
          (feedback.deadSince === null || row.registeredAt <= feedback.deadSince);
        return isDead ? ending(row, change.messageId, now) : [];
      });
      return { writes };
    },
  };
};
