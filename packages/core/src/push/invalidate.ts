import type { SystemEvents } from '../events/system-events.ts';
import { anonymousPerson } from '../primitives/person.ts';
import { type InScope, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { AddressFeedback } from '../sending/channel.ts';
import type { Storage } from '../storage/storage.ts';
import { type Write, write } from '../storage/write-set.ts';
import { pushHot } from './hot.ts';
import type { PushTables } from './tables.ts';

export type DeadTokensDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly tables: PushTables;
  readonly events: SystemEvents;
};

const tokenTag = (scope: InScope, id: string): string => `t:${scopeKey(scope)}/${id}`;

/**
 * What providers told of tokens, for the transaction that ends their messages. A dead token becomes inactive and its
 * `push.token_invalidated` is stored, once, unless the device registered it again after `deadSince`: it knows better.
 * Guarded: a token that changes in between fails the plan with its tag, and is to be loaded and planned again. Tokens
 * that nobody registered have no row and nothing to write.
 */
export const deadTokens = ({ storage, tables, events }: DeadTokensDeps) => {
  const hot = pushHot(tables);
  type State = Awaited<ReturnType<typeof statesOf>>[number];

  const statesOf = (told: readonly AddressFeedback[]) =>
    storage.select(
      hot.states,
      told.map(({ facts, ...one }) => [scopeKey(one), facts.tokenId ?? '']),
    );

  const ending = (row: State, messageId: string, now: Date): Write[] => {
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

  return {
    order: [hot.deactivate, hot.learn, ...events.order],
    /** One read; the function that it gives is pure. */
    load: async (feedback: readonly AddressFeedback[]): Promise<(now: Date) => readonly Write[]> => {
      const about = new Map<string, AddressFeedback>();
      for (const one of feedback)
        if (one.channel === 'push' && one.facts.tokenId !== undefined) about.set(tokenTag(one, one.facts.tokenId), one);
      // Two workers that end the same tokens lock them in one order.
      const rows = (await statesOf([...about.values()])).sort((a, b) => (a.id < b.id ? -1 : 1));
      return (now) =>
        rows.flatMap((row): Write[] => {
          const told = about.get(tokenTag(row, row.id));
          if (told?.told === 'apns_environment') {
            const { id, registeredAt } = row;
            const { apnsEnvironment } = told;
            return [write(hot.learn, { ...scopeOf(row), id, registeredAt, apnsEnvironment })];
          }
          const isDead =
            told?.told === 'dead' && row.isActive && (told.deadSince === null || row.registeredAt <= told.deadSince);
          return isDead ? ending(row, told.messageId, now) : [];
        });
    },
  };
};
