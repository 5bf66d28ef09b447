import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { newDraft, type PersonView, personTag } from '../events/pipeline.ts';
import { liveOf } from './definitions.ts';
import { keepMembership } from './membership.ts';
import type { AudienceStatements } from './statements.ts';

const scope = testScope({ orgId: 'o', projectId: 'membership', environment: 'prod' });
const NOW = new Date('2026-03-01T12:00:00.000Z');
const PRO = { id: 'pro', name: 'Pro', predicate: { trait: 'plan', op: 'eq', value: 'pro' }, stage: null } as const;
const hot: AudienceStatements = new Proxy(unchecked({}), { get: (_, name) => ({ id: String(name), rank: 0 }) });

/** What is written where somebody becomes pro who has no row, by the statements' names. */
const written = async (profile: number, seenBefore: number | null): Promise<readonly string[]> => {
  const order: string[] = [];
  const reaction = keepMembership({
    storage: {
      select: async (bulk) => {
        order.push(bulk.id);
        return [];
      },
    },
    hot,
    people: {
      usersOf: async () => [],
      versions: async (keys) => {
        order.push('versions');
        return seenBefore === null ? [] : keys.map((key) => ({ ...key, version: seenBefore }));
      },
      hold: ({ version }, tag) => unchecked({ bulk: { id: `hold ${version}` }, row: {}, tag }),
    },
    definitions: { load: async () => () => liveOf([PRO]) },
    counting: unchecked({
      isCounted: async () => () => false,
      ofBatch: async () => {
        order.push('counts');
        return { plan: async () => () => () => null };
      },
    }),
    emitter: unchecked({ load: async () => ({ hasSubscribers: () => false }) }),
    triggersOn: async () => () => false,
  });
  const item = { scope, kind: 'identify', userId: 'ann', anonymousId: null, traits: { plan: 'pro' }, context: null };
  const loaded = await reaction.load([unchecked({ ...item, eventType: '' })], { isFirstTry: true, isJoined: false });
  expect(order).toEqual(['versions', 'memberships', 'counts']);
  const draft = newDraft([], NOW);
  const view = (version: number, plan: string): PersonView =>
    unchecked({ version, traits: { plan }, locale: null, timezone: null, lastSeenAt: NOW });
  draft.people.set(personTag(scope, 'u:ann'), {
    scope: scopeOf(scope),
    person: 'u:ann',
    before: view(profile, 'free'),
    after: view(profile + 1, 'pro'),
  });
  await reaction.plan(draft, loaded);
  return draft.writes.map(({ bulk }) => bulk.id);
};

describe('whoever is judged in ingest', () => {
  it('is judged by rows that are no older than the profile that they were judged by', async () => {
    expect(await written(3, 3)).toEqual(['join']);
    // The guard of the profile itself tells of these.
    expect(await written(3, 4)).toEqual(['join']);
  });

  it('is read again where their profile was read after their rows', async () => {
    expect(await written(4, 3)).toEqual(['hold 3']);
    expect(await written(1, null)).toEqual(['hold 0']);
  });
});
