// Conversions by events: an ingest reaction that finds the messages that an event converts. If no test of a scope
// counts the event, nothing is read.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { IngestDraft, Item, Reaction } from '../../people/events/pipeline.ts';
import { freshEntries } from '../../people/events/pipeline.ts';
import type { TestRef } from '../sends/deliver/variants.ts';
import type { Sending, Unconverted } from '../sends/sending.ts';
import { AB_TESTS_CHANGED } from './messages.ts';
import type { AbTestStatements } from './statements.ts';

/** Maximum age of the cache, in milliseconds. Chosen: as for workflow triggers. */
const MAX_AGE_MS = 2_000;
const HOUR_MS = 3_600_000;

/** A test that counts an event, and its window after a message. */
type Counting = { readonly abTestId: string; readonly windowMs: number };
type CountingOf = (scope: InScope) => ReadonlyMap<string, readonly Counting[]>;

type Loaded = { readonly countingOf: CountingOf; readonly messages: ReadonlyMap<string, readonly Unconverted[]> };

const NOTHING: Loaded = { countingOf: () => new Map(), messages: new Map() };
const nameOf = ({ abTestId, person, ...scope }: TestRef & { readonly person: string }): string =>
  `${scopeKey(scope)}/${abTestId}/${person}`;

/** Only identified users can convert: anonymous users get no messages. */
const personOf = ({ userId }: Pick<Item, 'userId'>): string | null => (userId === null ? null : userPerson(userId));

/** Marks messages as converted by events. */
export const conversions = ({
  storage,
  hot,
  clock,
  variants,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly hot: AbTestStatements;
  readonly clock: Clock;
  readonly variants: Pick<Sending['variants'], 'unconverted' | 'convert'>;
}): Reaction<Loaded> & { close(): void } => {
  const cache = sharedCache<InScope, ReadonlyMap<string, readonly Counting[]>>({
    storage,
    clock,
    topic: AB_TESTS_CHANGED,
    nameOf: scopeKey,
    read: readByScope(storage, hot.counting, (rows) => {
      const counting = rows.flatMap(({ eventType, metric, id }) =>
        eventType === null ? [] : [{ eventType, abTestId: id, windowMs: metric.windowHours * HOUR_MS }],
      );
      return Map.groupBy(counting, ({ eventType }) => eventType);
    }),
    maxAgeMs: MAX_AGE_MS,
  });

  const load = async (items: readonly Item[]): Promise<Loaded> => {
    const scopes = [...new Set(items.map(({ scope }) => scope))];
    const countingOf: CountingOf = await cache.load(scopes);
    if (scopes.every((scope) => countingOf(scope).size === 0)) return NOTHING;
    const keys = new Map(
      items.flatMap((item) => {
        const person = personOf(item);
        if (person === null) return [];
        return (countingOf(item.scope).get(item.eventType) ?? []).map(({ abTestId }) => {
          const key = { ...scopeOf(item.scope), abTestId, person };
          return [nameOf(key), key] as const;
        });
      }),
    );
    const found = keys.size === 0 ? [] : await variants.unconverted([...keys.values()]);
    return { countingOf, messages: Map.groupBy(found, nameOf) };
  };

  const plan = (draft: IngestDraft, { countingOf, messages }: Loaded): void => {
    if (messages.size === 0) return;
    /** The first of several events of a batch counts. */
    const converted = new Map<Unconverted, Date>();
    for (const { item } of freshEntries(draft)) {
      const person = personOf(item);
      if (person === null || item.kind === 'changed') continue;
      for (const { abTestId, windowMs } of countingOf(item.scope).get(item.eventType) ?? [])
        for (const message of messages.get(nameOf({ ...scopeOf(item.scope), abTestId, person })) ?? []) {
          const after = item.timestamp.getTime() - message.sentAt.getTime();
          const known = converted.get(message);
          if (after < 0 || after > windowMs || (known && known <= item.timestamp)) continue;
          converted.set(message, item.timestamp);
        }
    }
    for (const [message, at] of converted) draft.writes.push(variants.convert(message, at));
  };

  return { name: 'conversions', load, plan, close: cache.close };
};
