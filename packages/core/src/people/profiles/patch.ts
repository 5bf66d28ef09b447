// Changes by the operator's own program. They override device values: a locale or time zone set here stays, whatever
// the context of later events contains.

import type { z } from 'zod';
import { commitInParts, type PartPlan } from '../../database/commit/commit-planned.ts';
import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { fieldErrorsOf, notFound, overloaded, validationError } from '../../foundation/errors.ts';
import { normaliseFreeForm } from '../../foundation/json.ts';
import { userPerson } from '../../foundation/person.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { batcher } from '../../jobs/concurrency/batcher.ts';
import {
  type BoundReaction,
  fittingOf,
  type IngestDraft,
  type Item,
  newDraft,
  personTag,
  planInOrder,
} from '../events/pipeline.ts';
import { orgPartitionKey } from '../events/queue.ts';
import type { ProfileInput } from './api.ts';
import { mergeTraits } from './merge.ts';
import { type Addresses, profileBody } from './schema.ts';
import type { ProfileStatements } from './statements.ts';
import type { ProfileView, Traits } from './view.ts';

export type PatchDeps = {
  readonly storage: Storage;
  readonly hot: ProfileStatements;
  readonly clock: Clock;
  readonly addresses: Addresses;
  /** The downstream reactions, which process the change like one of an identify call. */
  readonly downstream: readonly BoundReaction[];
};

/** Maximum patches per commit. Chosen: a short commit; later patches join the next one. */
const MAX_PER_COMMIT = 32;
/** Queues of patches. Chosen: an org with slow audiences rarely shares a queue with another org. */
const PARTITIONS = 64;

/** A validated patch. */
type PatchRequest = {
  readonly item: Item;
  readonly person: string;
  readonly fields: Omit<z.output<ReturnType<typeof profileBody>>, 'traits'>;
  readonly traits: Readonly<Traits>;
};
/** Null: the user does not exist. */
type PatchResult = ProfileView | null;
type Plan = PartPlan<PatchRequest> & { readonly results: ReadonlyMap<PatchRequest, PatchResult> };

const itemOf = (scope: Scope, userId: string, at: Date): Item => ({
  ...{ scope, kind: 'changed', id: '', userId, anonymousId: null, module: '', eventType: '', properties: {} },
  ...{ traits: null, context: null, sessionId: null, messageId: null, timestamp: at, receivedAt: at, depth: 0 },
});

const valueOr = <T>(value: T | undefined, stored: T): T => (value === undefined ? stored : value);

const patched = (stored: ProfileView, { fields, traits }: PatchRequest): ProfileView => {
  const { email, phone, locale, timezone } = fields;
  const merged = mergeTraits(stored.traits, traits);
  return {
    ...stored,
    email: valueOr(email, stored.email),
    phone: valueOr(phone, stored.phone),
    localeOverride: valueOr(locale, stored.localeOverride),
    timezoneOverride: valueOr(timezone, stored.timezoneOverride),
    traits: merged.traits,
    isTruncated: stored.isTruncated || merged.isTruncated,
  };
};

const SET = ['email', 'phone', 'localeOverride', 'timezoneOverride', 'traits', 'isTruncated'] as const;
const isSame = (a: ProfileView, b: ProfileView): boolean => SET.every((name) => a[name] === b[name]);

/**
 * Changes profiles; concurrent patches share a commit. Guarded by the versions read, so that no other change is lost.
 * Returns each profile after its patch. Throws VALIDATION_ERROR, NOT_FOUND for an unknown user, and OVERLOADED if other
 * writers change the profile all the time.
 */
export const patchProfile = ({ storage, hot, clock, addresses, downstream }: PatchDeps) => {
  const schema = profileBody(addresses);

  /** Plans as many of the first `most` patches as fit one commit. */
  const plan = async (requests: readonly PatchRequest[], most: number): Promise<Plan> => {
    const batch = requests.slice(0, most);
    const keys = new Map(
      batch.map(({ item, person }) => [personTag(item.scope, person), [scopeKey(item.scope), person]]),
    );
    const round = { isFirstTry: false, isJoined: false };
    const [rows, reactions] = await Promise.all([
      storage.select(hot.full, [...keys.values()]),
      Promise.all(
        downstream.map((reaction) =>
          reaction.load(
            batch.map(({ item }) => item),
            round,
          ),
        ),
      ),
    ]);
    const stored = new Map(rows.map((row): [string, ProfileView] => [personTag(row, row.person), row]));
    const current = new Map(stored);
    const results = batch.map((one): PatchResult => {
      const tag = personTag(one.item.scope, one.person);
      const known = current.get(tag);
      if (!known) return null;
      const after = patched(known, one);
      current.set(tag, after);
      return after;
    });
    const changed = [...current].flatMap(([tag, after]) => {
      const before = stored.get(tag);
      return before && !isSame(before, after)
        ? [{ tag, before, after: { ...after, version: before.version + 1 } }]
        : [];
    });
    const tags = new Set(changed.map(({ tag }) => tag));
    const entries = batch
      .filter(({ item, person }) => tags.has(personTag(item.scope, person)))
      .map(({ item, person }) => ({ item, duplicateOf: null, person, changedTraits: [] }));
    const draft: IngestDraft = { ...newDraft([], clock.now()), entries };
    for (const { tag, before, after } of changed) {
      const { person, email, phone, localeOverride = null, timezoneOverride = null, traits, isTruncated } = after;
      draft.people.set(tag, { scope: scopeOf(after), person, before, after });
      const row = {
        person,
        version: before.version,
        email,
        phone,
        localeOverride,
        timezoneOverride,
        traits,
        isTruncated,
      };
      draft.writes.push(write(hot.patch, { ...scopeOf(after), ...row }, tag));
    }
    if (changed.length > 0) await planInOrder(reactions, draft);
    const fitting = fittingOf(batch.length, draft);
    if (fitting < batch.length) return plan(requests, fitting);
    const done = new Map(batch.map((one, at): [PatchRequest, PatchResult] => [one, results[at] ?? null]));
    return { results: done, writes: draft.writes, wakes: [...draft.wakes], rest: requests.slice(batch.length) };
  };

  // Without the queue, patches of one profile would conflict with each other, and an identify call of that user with
  // all of them.
  const queue = batcher<PatchRequest, PatchResult>({
    partitions: PARTITIONS,
    maxFlushRows: MAX_PER_COMMIT,
    flush: async (batch) => {
      const results = new Map<PatchRequest, PatchResult>();
      const planning = { plan: (some: readonly PatchRequest[]) => plan(some, some.length) };
      await commitInParts(storage, batch, planning, (part) => {
        for (const [one, value] of part.results) results.set(one, value);
      });
      return batch.map((one) => {
        const value = results.get(one);
        return value === undefined ? { ok: false, error: overloaded(1) } : { ok: true, value };
      });
    },
  });

  return async (scope: Scope, userId: string, body: ProfileInput): Promise<ProfileView> => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const { traits = {}, ...fields } = parsed.data;
    const item = itemOf(scope, userId, clock.now());
    const batch = { item, person: userPerson(userId), fields, traits: normaliseFreeForm(traits, 'traits') };
    const results = await queue.submit(batch, 0, orgPartitionKey(item));
    if (results === null) throw notFound('profile of this userId', scope);
    return results;
  };
};
