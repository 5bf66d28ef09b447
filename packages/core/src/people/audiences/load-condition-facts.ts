import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ConditionFacts, LoadConditionFacts } from './condition-facts.ts';
import { type EventLog, fromLog } from './counting/from-log.ts';
import { NEVER } from './counting/tally.ts';
import type { Definitions } from './definitions.ts';
import { type Tally, tallyKey } from './predicate/facts.ts';
import { mentions } from './predicate/mentions.ts';
import { audienceStatements } from './statements.ts';
import type { AudienceTables } from './tables.ts';

/** Dependencies of `knownOf`. */
export type KnownSources = Pick<Platform<AudienceTables>, 'storage' | 'tables'> & {
  readonly definitions: Pick<Definitions, 'load'>;
  readonly log: EventLog;
};

/**
 * Facts for occasional conditions on one profile: reads the event log, so it needs no counters. Membership of an
 * audience that does not exist or is being built is unknown.
 */
export const knownOf = ({ storage, tables, definitions, log }: KnownSources): LoadConditionFacts => {
  const hot = audienceStatements(tables);
  const logged = fromLog(log);

  const memberships = async (
    scope: InScope,
    person: string,
    ids: readonly string[],
  ): Promise<ConditionFacts['isMember']> => {
    if (ids.length === 0) return () => null;
    const [indexOf, rows] = await Promise.all([
      definitions.load([scope]),
      storage.select(
        hot.membership,
        ids.map((id) => [scopeKey(scope), id, person]),
      ),
    ]);
    const { lists, byId } = indexOf(scope);
    const isIn = new Set(rows.map(({ audienceId }) => audienceId));
    return (id) => (lists.has(id) || byId.get(id)?.stage === null ? isIn.has(id) : null);
  };

  return async (scope, person, condition, now) => {
    const { audiences, events, logLeaves } = mentions(condition);
    const tallies = new Map<string, Tally>();
    const [isMember] = await Promise.all([
      memberships(scope, person, [...audiences]),
      ...[...events].map(async ([event, kept]) => {
        const counted = await logged.counted(scope, [person], event, Math.max(1, kept));
        tallies.set(event, counted.get(person) ?? NEVER);
      }),
      ...logLeaves.map(async (leaf) => {
        const meant = await logged.meant(scope, [person], leaf, now);
        tallies.set(tallyKey(leaf), meant.get(person) ?? NEVER);
      }),
    ]);
    return { isMember, tallyOf: (key) => tallies.get(key) ?? null };
  };
};
