// Conversions by events: a reaction of ingest that finds the messages that an event follows. Where no test of a scope counts
// by such an event, nothing is read.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { agedCache } from '../../jobs/concurrency/aged-cache.ts';
import type { IngestDraft, Item, Reaction } from '../../people/events/pipeline.ts';
import { freshEntries } from '../../people/events/pipeline.ts';
import type { TestRef } from '../sends/deliver/variants.ts';
import type { Sending, Unconverted } from '../sends/sending.ts';
import { AB_TESTS_CHANGED } from './messages.ts';
import type { AbTestStatements } from './statements.ts';

/** How old what is remembered may be, in milliseconds. Ours: as for the triggers of workflows. */
const MAX_AGE_MS = 2_000;
/** Scopes whose tests are held; ours: a few names each. */
const MAX_SCOPES = 10_000;
const HOUR_MS = 3_600_000;

/** A test that counts an event, and how long after a message. */
type Counting = { readonly abTestId: string; readonly windowMs: number };
type CountingOf = (scope: InScope) => ReadonlyMap<string, readonly Counting[]>;

type Loaded = { readonly countingOf: CountingOf; readonly messages: ReadonlyMap<string, readonly Unconverted[]> };

const NOTHING: Loaded = { countingOf: () => new Map(), messages: new Map() };
const nameOf = ({ abTestId, person, ...scope }: TestRef & { readonly person: string }): string =>
  `${scopeKey(scope)}/${abTestId}/${person}`;

/** Only users are given variants whose events can be told: whoever is anonymous gets no message. */
const personOf = ({ userId }: Pick<Item, 'userId'>): string | null => (userId === null ? null : userPerson(userId));

/** Marks messages as converted by the events that follow them. */
export const conversions = ({
  storage,
  hot,
  clock,
  variants,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly hot: AbTestStatements;
  readonly clock: Clock;
  readonly variants: Pick<Sending['variants'], 'unconverted' | 'convert'>;
}): Reaction<Loaded> & { close(): void } => {
  const cache = agedCache<InScope, ReadonlyMap<string, readonly Counting[]>>({
    nameOf: scopeKey,
    read: async (scopes) => {
      const rows = await storage.select(
        hot.counting,
        scopes.map((scope) => [scopeKey(scope)]),
      );
      const counting = rows.flatMap((row) => {
        const { eventType, metric } = row;
        if (eventType === null) return [];
        return [{ scope: scopeKey(row), eventType, abTestId: row.id, windowMs: metric.windowHours * HOUR_MS }];
      });
      const byScope = Map.groupBy(counting, ({ scope }) => scope);
      return (scope) => Map.groupBy(byScope.get(scopeKey(scope)) ?? [], ({ eventType }) => eventType);
    },
    clock,
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  let stopListening: (() => void) | undefined;

  const load = async (items: readonly Item[]): Promise<Loaded> => {
    stopListening ??= storage.wake.subscribe((topic) => topic === AB_TESTS_CHANGED && cache.clear());
    const scopes = [...new Map(items.map(({ scope }) => [scopeKey(scope), scopeOf(scope)])).values()];
    const of = await storage.apart(() => cache.load(scopes));
    if (scopes.every((scope) => of(scope).size === 0)) return NOTHING;
    const countingOf: CountingOf = (scope) => of(scopeOf(scope));
    const asked = new Map(
      items.flatMap((item) => {
        const person = personOf(item);
        if (person === null) return [];
        return (countingOf(item.scope).get(item.eventType) ?? []).map(({ abTestId }) => {
          const key = { ...scopeOf(item.scope), abTestId, person };
          return [nameOf(key), key] as const;
        });
      }),
    );
    const found = asked.size === 0 ? [] : await variants.unconverted([...asked.values()]);
    return { countingOf, messages: Map.groupBy(found, nameOf) };
  };

  const plan = (draft: IngestDraft, { countingOf, messages }: Loaded): void => {
    if (messages.size === 0) return;
    /** The first of several events of a batch is the one that counts. */
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

  return { name: 'conversions', load, plan, close: () => stopListening?.() };
};
