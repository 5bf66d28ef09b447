import type { Write, WriteSet } from '../../database/commit/write-set.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Emitter } from '../events/emit.ts';
import type { People } from '../profiles/people.ts';
import type { Definitions } from './definitions.ts';
import type { ListChange } from './members.ts';
import { CHECKS, checkAt, raiseMoves } from './moves.ts';
import type { AudienceStatements } from './statements.ts';
import type { AudienceRow } from './tables.ts';

/** What follows from users having come on a list, or having gone from it: events, and a look at who else it concerns. */
export const listChanges =
  ({
    hot,
    people,
    definitions,
    emitter,
  }: {
    readonly hot: AudienceStatements;
    readonly people: Pick<People, 'versions' | 'hold'>;
    readonly definitions: Definitions;
    readonly emitter: Emitter;
  }) =>
  async (
    scope: Scope,
    list: Pick<AudienceRow, 'id' | 'name'>,
    { verb, people: whom, at }: ListChange,
  ): Promise<WriteSet> => {
    if (whom.length === 0) return { writes: [] };
    const [liveOf, emission] = await Promise.all([definitions.load([scope], true), emitter.load([scope])]);
    const into = { writes: [] as Write[], wakes: new Set<string>() };
    const { id, name } = list;
    for (const person of whom)
      raiseMoves(into, emission, { ...scopeOf(scope), person, version: at.getTime(), at, depth: 0 }, verb, [
        { id, name },
      ]);
    if (liveOf(scope).byList.has(id)) {
      // Whoever has no profile is in no other audience.
      for (const seen of await people.versions(whom.map((person) => ({ ...scopeOf(scope), person }))))
        into.writes.push(people.hold(seen, seen.person), checkAt(hot, seen, at));
      into.wakes.add(CHECKS);
    }
    return { writes: into.writes, wakes: [...into.wakes] };
  };
