// One commit of sign-in: the rows of accounts and sessions, the user's profile with the audiences and runs that follow
// from it, events, emails and the host's own rows. Either all of it is on disk or nothing is.

import type { CommitHook } from '../../database/commit/commit-hook.ts';
import { commitPlanned } from '../../database/commit/commit-planned.ts';
import type { Write, WriteSet } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { overloaded } from '../../foundation/errors.ts';
import type { Ids } from '../../foundation/ids.ts';
import { userPerson } from '../../foundation/person.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import type { SendRequest } from '../../messaging/sends/schema.ts';
import type { Sending } from '../../messaging/sends/sending.ts';
import type { CatalogEvent, Emitter } from '../../people/events/emit.ts';
import {
  type BoundReaction,
  bindReaction,
  type IngestDraft,
  type Item,
  newDraft,
  planInOrder,
  type Round,
} from '../../people/events/pipeline.ts';
import type { AccountProfile } from '../../people/profiles/account-profile.ts';
import type { Profiles } from '../../people/profiles/profiles.ts';
import { personKey } from '../../people/profiles/view.ts';
import { isOfOperators } from '../../platform/tenancy/operator-scope.ts';

/** Events that sign-in raises. */
export type AuthEventName =
  | 'user.signed_up'
  | 'user.signed_in'
  | 'user.identified'
  | 'user.session_expired'
  | 'user.password_reset';

export type AuthEvent = {
  readonly name: AuthEventName;
  /** userId of the profile. */
  readonly userId: string;
  /** Distinguishes events of one name in one commit, such as the id of a session. */
  readonly subject: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** What one call changes. */
export type AuthChange = {
  readonly writes?: readonly Write[];
  /** The user's profile after the change; null: it does not change. */
  readonly profile?: AccountProfile | null;
  /** The same for several users. */
  readonly profiles?: readonly AccountProfile[];
  /** Visitor whose profile is merged into `profile`, as an identify call does. */
  readonly anonymousId?: string | null;
  readonly events?: readonly AuthEvent[];
  readonly emails?: readonly SendRequest[];
  /** Emails that are planned and not sent, so that an unknown address takes the same work as a known one. */
  readonly unsent?: readonly SendRequest[];
};

/** One plan: the change, and the answer that it leads to. A change without writes commits nothing. */
export type AuthPlan<T> = { readonly change: AuthChange; readonly result: T };

export type AuthCommitDeps = {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  readonly sends: Pick<Sending, 'plan' | 'react' | 'lookUpSends'>;
  readonly profiles: Pick<Profiles, 'putAccount' | 'load' | 'reactionBefore'>;
  /** Reactions to changed profiles, in their order. */
  readonly downstream: readonly BoundReaction[];
  /** Makes the host's part of a commit; null: the host has none. */
  readonly hook: ((scope: Scope, events: readonly AuthEvent[], at: Date) => CommitHook) | null;
};

/**
 * Plans and commits one change, and plans again if a guard or, once, a unique column refused it: another call was faster,
 * and the new plan sees its row. Throws errors of `plan` and of the database, OVERLOADED if guards keep failing.
 */
export type CommitAuth = <T>(
  scope: Scope,
  plan: (now: Date) => Promise<AuthPlan<T>>,
  round?: Partial<Pick<Round, 'isJoined'>>,
) => Promise<T>;

const itemOf = (scope: Scope, id: string, userId: string, at: Date): Item => ({
  ...{ scope, kind: 'changed', id, userId, anonymousId: null, module: 'auth', eventType: '', properties: {} },
  ...{ traits: null, context: null, sessionId: null, messageId: null, timestamp: at, receivedAt: at, depth: 0 },
});

export const authCommit = (deps: AuthCommitDeps): CommitAuth => {
  const { storage, clock, ids, emitter, sends, profiles, downstream, hook } = deps;

  const people = bindReaction(profiles.reactionBefore(downstream));

  /** Creates the profile of a new user and merges a visitor's into it. */
  const mergeVisitor = async (scope: Scope, draft: IngestDraft, userId: string, anonymousId: string): Promise<void> => {
    const item: Item = { ...itemOf(scope, ids.next(), userId, draft.now), kind: 'identify', anonymousId };
    // The commit may fail, so nothing that it writes may be cached.
    const round = { isFirstTry: false, isJoined: true };
    const reactions = await Promise.all([people, ...downstream].map((reaction) => reaction.load([item], round)));
    const entries = [{ item, duplicateOf: null, person: userPerson(userId), changedTraits: [] }];
    await planInOrder(reactions, { ...draft, entries });
  };

  /** Writes profiles, and lets audiences and runs react to them. */
  const addProfiles = async (
    scope: Scope,
    draft: IngestDraft,
    all: readonly AccountProfile[],
    isJoined: boolean,
  ): Promise<void> => {
    const keyOf = ({ userId }: AccountProfile) => ({ ...scopeOf(scope), person: userPerson(userId) });
    const existing = await profiles.load(all.map(keyOf), { tags: false });
    const changed = all.filter((profile) => {
      const key = keyOf(profile);
      return profiles.putAccount(draft, { key, stored: existing.get(personKey(key)) ?? null, profile }, 'profile');
    });
    if (changed.length === 0) return;
    const entries = changed.map((profile) => ({
      item: itemOf(scope, ids.next(), profile.userId, draft.now),
      ...{ duplicateOf: null, person: keyOf(profile).person, changedTraits: [] },
    }));
    const round = { isFirstTry: false, isJoined };
    const items = entries.map(({ item }) => item);
    const reactions = await Promise.all(downstream.map((reaction) => reaction.load(items, round)));
    await planInOrder(reactions, { ...draft, entries });
  };

  const addEvents = async (scope: Scope, draft: IngestDraft, events: readonly AuthEvent[]): Promise<void> => {
    const emission = await emitter.load([scope]);
    for (const { name, userId, subject, properties } of events) {
      const event: CatalogEvent = {
        ...{ name, scope, properties, at: draft.now, depth: 0, person: userPerson(userId) },
        id: derivedId(draft.now, `${name}/${subject}`),
      };
      const { writes, wakes } = emission.emit(event);
      draft.writes.push(...writes);
      for (const wake of wakes) draft.wakes.add(wake);
    }
    if (hook) draft.hooks.push(hook(scope, events, draft.now));
  };

  const addEmails = async (
    scope: Scope,
    draft: Pick<IngestDraft, 'now' | 'writes' | 'wakes' | 'hooks'>,
    emails: readonly SendRequest[],
  ): Promise<void> => {
    const lookup = await sends.lookUpSends(emails.map(({ channel, recipients }) => ({ scope, channel, recipients })));
    for (const email of emails) {
      const planned = sends.plan(scope, email, { profiles: new Map(), lookup }, draft.now, ids);
      const reacted = await sends.react(planned.changes, draft.now);
      draft.writes.push(...planned.writes, ...reacted.writes);
      for (const wake of [...planned.wakes, ...reacted.wakes]) draft.wakes.add(wake);
      draft.hooks.push(...(reacted.hooks ?? []));
    }
  };

  return async <T>(
    scope: Scope,
    plan: (now: Date) => Promise<AuthPlan<T>>,
    { isJoined = false }: Partial<Pick<Round, 'isJoined'>> = {},
  ): Promise<T> => {
    const now = clock.now();
    const commit = () =>
      commitPlanned<null, WriteSet & { readonly result: T }>(storage, [null], {
        plan: async () => {
          const { change, result } = await plan(now);
          const { writes = [], profile = null, profiles: others = [], anonymousId = null } = change;
          const { events = [], emails = [], unsent = [] } = change;
          const changed = profile === null || anonymousId !== null ? others : [profile, ...others];
          const draft = newDraft([], now);
          draft.writes.push(...writes);
          // Operators are no users of a product: they have rows, and neither profile nor events.
          if (isOfOperators(scope)) return { writes: draft.writes, wakes: [], hooks: [], result };
          if (profile && anonymousId !== null) await mergeVisitor(scope, draft, profile.userId, anonymousId);
          if (changed.length > 0) await addProfiles(scope, draft, changed, isJoined);
          if (events.length > 0) await addEvents(scope, draft, events);
          if (emails.length > 0) await addEmails(scope, draft, emails);
          if (unsent.length > 0) await addEmails(scope, newDraft([], now), unsent);
          // The host's hooks do not run within its own transaction.
          return { writes: draft.writes, wakes: [...draft.wakes], hooks: isJoined ? [] : draft.hooks, result };
        },
      });
    const committed = await commit().catch((error: unknown) => {
      if (!storage.dialect.isUniqueViolation(error)) throw error;
      return commit();
    });
    if (!committed.ok || committed.plan === null) throw overloaded(1);
    return committed.plan.result;
  };
};
