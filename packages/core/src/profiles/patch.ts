// What an operator's own program says of a user. It wins over what devices say: a locale and a time zone that are set
// here stay, whatever the context of later events holds.

import type { z } from 'zod';
import type { ProfileInput } from '../api.ts';
import { fieldErrorsOf, notFound, overloaded, validationError } from '../errors.ts';
import { type BoundReaction, type IngestDraft, type Item, newDraft, personTag } from '../events/pipeline.ts';
import type { Clock } from '../primitives/clock.ts';
import { normaliseFreeForm } from '../primitives/json.ts';
import { userPerson } from '../primitives/person.ts';
import { type Scope, scopeKey, scopeOf } from '../primitives/scope.ts';
import { commitPlanned } from '../storage/commit-planned.ts';
import type { Storage } from '../storage/storage.ts';
import { type WriteSet, write } from '../storage/write-set.ts';
import { answeringBatcher } from '../work/concurrency/batcher.ts';
import type { ProfileHot } from './hot.ts';
import { mergeTraits } from './merge.ts';
import { type Addresses, profileBody } from './schema.ts';
import type { ProfileView, Traits } from './view.ts';

export type PatchDeps = {
  readonly storage: Storage;
  readonly hot: ProfileHot;
  readonly clock: Clock;
  readonly addresses: Addresses;
  /** The ingest reactions behind profiles: they see the change as they see that of an identify call. */
  readonly behind: readonly BoundReaction[];
};

/** Patches that one commit takes; ours. What else comes meanwhile is the next. */
const MAX_TOGETHER = 32;

/** A patch, checked. */
type Asked = {
  readonly item: Item;
  readonly person: string;
  readonly fields: Omit<z.output<ReturnType<typeof profileBody>>, 'traits'>;
  readonly traits: Readonly<Traits>;
};
/** Null: there is no such user. */
type Left = ProfileView | null;
type Plan = WriteSet & { readonly left: readonly Left[] };

const itemOf = (scope: Scope, userId: string, at: Date): Item => ({
  ...{ scope, kind: 'changed', id: '', userId, anonymousId: null, module: '', eventType: '', properties: {} },
  ...{ traits: null, context: null, sessionId: null, messageId: null, timestamp: at, receivedAt: at, depth: 0 },
});

const given = <T>(value: T | undefined, stored: T): T => (value === undefined ? stored : value);

const patched = (stored: ProfileView, { fields, traits }: Asked): ProfileView => {
  const { email, phone, locale, timezone } = fields;
  const merged = mergeTraits(stored.traits, traits);
  return {
    ...stored,
    email: given(email, stored.email),
    phone: given(phone, stored.phone),
    setLocale: given(locale, stored.setLocale),
    setTimezone: given(timezone, stored.setTimezone),
    traits: merged.traits,
    isTruncated: stored.isTruncated || merged.isTruncated,
  };
};

const SET = ['email', 'phone', 'setLocale', 'setTimezone', 'traits', 'isTruncated'] as const;
const isSame = (a: ProfileView, b: ProfileView): boolean => SET.every((name) => a[name] === b[name]);

/**
 * Changes profiles, those together that are asked for at one time; guarded by what was read, so that no other change is
 * lost. Answers each as it is afterwards. Throws VALIDATION_ERROR, NOT_FOUND for a user that there is not, OVERLOADED
 * where others change it all the time.
 */
export const patchProfile = ({ storage, hot, clock, addresses, behind }: PatchDeps) => {
  const schema = profileBody(addresses);

  const plan = async (asked: readonly Asked[]): Promise<Plan> => {
    const keys = new Map(
      asked.map(({ item, person }) => [personTag(item.scope, person), [scopeKey(item.scope), person]]),
    );
    const round = { isFirstTry: false, isJoined: false };
    const [rows, reactions] = await Promise.all([
      storage.select(hot.full, [...keys.values()]),
      Promise.all(
        behind.map((reaction) =>
          reaction.load(
            asked.map(({ item }) => item),
            round,
          ),
        ),
      ),
    ]);
    const stored = new Map(rows.map((row): [string, ProfileView] => [personTag(row, row.person), row]));
    const current = new Map(stored);
    const left = asked.map((one): Left => {
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
    const entries = asked
      .filter(({ item, person }) => tags.has(personTag(item.scope, person)))
      .map(({ item, person }) => ({ item, duplicateOf: null, person, changedTraits: [] }));
    const draft: IngestDraft = { ...newDraft([], clock.now()), entries };
    for (const { tag, before, after } of changed) {
      const { person, email, phone, setLocale = null, setTimezone = null, traits, isTruncated } = after;
      draft.people.set(tag, { scope: scopeOf(after), person, before, after });
      const row = { person, version: before.version, email, phone, setLocale, setTimezone, traits, isTruncated };
      draft.writes.push(write(hot.patch, { ...scopeOf(after), ...row }, tag));
    }
    if (changed.length > 0) for (const react of reactions) react(draft);
    return { left, writes: draft.writes, wakes: [...draft.wakes] };
  };

  // Those of one person would otherwise lose to each other, and an identify call of hers to all of them.
  const line = answeringBatcher<Asked, Left>({
    maxFlushRows: MAX_TOGETHER,
    flush: async (asked) => {
      const { ok, plan: done } = await commitPlanned(storage, asked, { plan });
      if (!ok || !done) throw overloaded(1);
      return done.left.map((value) => ({ ok: true, value }));
    },
  });

  return async (scope: Scope, userId: string, body: ProfileInput): Promise<ProfileView> => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const { traits = {}, ...fields } = parsed.data;
    const item = itemOf(scope, userId, clock.now());
    const asked = { item, person: userPerson(userId), fields, traits: normaliseFreeForm(traits, 'traits') };
    const left = await line.submit(asked);
    if (left === null) throw notFound('profile of this userId', scope);
    return left;
  };
};
