import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { newDraft, type PersonView, personTag } from '../events/pipeline.ts';
import { indexAudiences } from './definitions.ts';
import { keepMembership } from './membership.ts';
import type { AudienceStatements } from './statements.ts';

const scope = testScope({ orgId: 'o', projectId: 'membership', environment: 'prod' });
const NOW = new Date('2026-03-01T12:00:00.000Z');
const PRO = { id: 'pro', name: 'Pro', predicate: { trait: 'plan', op: 'eq', value: 'pro' }, stage: null } as const;
const hot: AudienceStatements = new Proxy(unchecked({}), { get: (_, name) => ({ id: String(name), rank: 0 }) });

/** Statement ids of the writes for a user without rows who becomes pro. */
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
      bumpVersion: ({ version }, tag) => unchecked({ bulk: { id: `hold ${version}` }, row: {}, tag }),
    },
    definitions: { load: async () => () => indexAudiences([PRO]) },
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

describe('evaluation in ingest', () => {
  it('the rows used for an evaluation are never older than the profile', async () => {
    expect(await written(3, 3)).toEqual(['join']);
    // The profile's own guard detects these.
    expect(await written(3, 4)).toEqual(['join']);
  });

  it('the guard fails if the profile was read after the rows', async () => {
    expect(await written(4, 3)).toEqual(['hold 3']);
    expect(await written(1, null)).toEqual(['hold 0']);
  });
});
