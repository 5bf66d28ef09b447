import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import { userIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { People } from '../profiles/people.ts';
import type { AudienceExplanation } from './answers.generated.ts';
import type { AudiencesApi } from './api.ts';
import type { Counting } from './counts.ts';
import type { Definitions } from './definitions.ts';
import { evaluatorOf, verdictOf } from './evaluate.ts';
import { factsOfProfile } from './person.ts';
import { explain } from './predicate/explain.ts';
import { mentions } from './predicate/mentions.ts';
import { leafInOrgZone, type Predicate } from './predicate/types.ts';
import { NO_AUDIENCE, parsePreview } from './schema.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceStore } from './store.ts';

/** Users in a preview. Source: contract, Audiences. */
const SAMPLE = 20;

export type InsightDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: Pick<AudienceStatements, 'memberships'>;
  readonly store: Pick<AudienceStore, 'get'>;
  readonly clock: Clock;
  readonly people: Pick<People, 'load' | 'loadPublic'>;
  readonly definitions: Definitions;
  readonly counting: Counting;
  /** Number of users that match a predicate, and the first of them. */
  readonly find: (
    scope: InScope,
    predicate: Predicate,
    sample: number,
  ) => Promise<{ readonly count: number; readonly people: readonly string[] }>;
};

/** Preview of a predicate, and explanation of a user's membership. */
export const audienceInsight = (deps: InsightDeps): Pick<AudiencesApi, 'preview' | 'explain'> => {
  const { storage, hot, store, clock, people, definitions, counting } = deps;

  const explainMember = async (scope: Scope, person: string, id: string, rows: ReadonlySet<string>) => {
    const index = (await definitions.load([scope], true))(scope);
    const audience = index.byId.get(id);
    const [profile] = await people.load([{ ...scopeOf(scope), person }]);
    if (!audience || !profile) return null;
    const tallies = await counting.ofPeople(scope, [person], audience.all);
    const facts = factsOfProfile(profile, { now: clock.now(), tallyOf: tallies(profile) });
    const evaluator = evaluatorOf(index, facts, rows);
    await verdictOf(evaluator, audience, { spend: spendWork, owner: scope.orgId });
    return explain(audience.stored, evaluator.facts, (leaf) => leafInOrgZone(leaf, index.orgTimezone));
  };

  /** Rejects unknown audiences, as creating the audience would. Otherwise everybody would count as a non-member. */
  const refuseUnknown = async (scope: Scope, predicate: Predicate): Promise<void> => {
    const named = [...mentions(predicate).audiences];
    if (named.length === 0) return;
    const { byId, lists } = (await definitions.load([scope], true))(scope);
    if (named.some((id) => !byId.has(id) && !lists.has(id))) throw validationError({ predicate: [NO_AUDIENCE] });
  };

  return {
    preview: async (scope, body) => {
      const { predicate } = parsePreview(body);
      await refuseUnknown(scope, predicate);
      const { count, people: found } = await deps.find(scope, await definitions.resolve(scope, predicate), SAMPLE);
      const shown = await people.loadPublic(found.map((person) => ({ ...scopeOf(scope), person })));
      const byId = new Map(shown.map((profile) => [profile.userId, profile]));
      return { count, sample: found.flatMap((person) => byId.get(userIdOf(person)) ?? []) };
    },
    explain: async (scope, id, userId): Promise<AudienceExplanation> => {
      const person = userPerson(userId);
      const [row, memberships] = await Promise.all([
        store.get(scope, id),
        storage.select(hot.memberships, [[scopeKey(scope), person]]),
      ]);
      if (!row) throw notFound('audience with this id', scope);
      const rows = new Set(memberships.map(({ audienceId }) => audienceId));
      const isMember = rows.has(id);
      const about = { audienceId: id, name: row.name, userId, isMember };
      if (row.predicate === null) return { ...about, explanation: null };
      const explanation = await explainMember(scope, person, id, rows);
      if (!explanation) throw notFound('user with this id', scope);
      return { ...about, explanation };
    },
  };
};
