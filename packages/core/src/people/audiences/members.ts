import { commitPlanned } from '../../database/commit/commit-planned.ts';
import { type WriteSet, write } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { conflict, notFound, overloaded } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage } from '../../foundation/page.ts';
import { userIdOf, userPerson } from '../../foundation/person.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { AudiencesApi } from './api.ts';
import type { Direction } from './membership-changes.ts';
import { parseMembers, parseNewMembers } from './schema.ts';
import type { AudienceStatements } from './statements.ts';
import { audienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

export type MemberDeps = {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly hot: AudienceStatements;
  readonly clock: Clock;
  /** Effects of adding users to a list or removing them. */
  readonly effectsOf: (scope: Scope, list: AudienceRow, change: ListChange) => Promise<WriteSet>;
};
/** Users added to a list or removed from it. */
export type ListChange = { readonly direction: Direction; readonly people: readonly string[]; readonly at: Date };

type Members = Pick<AudiencesApi, 'members' | 'addMembers' | 'removeMembers' | 'ofUser'>;

/** Members of audiences, and changes of static lists. */
export const audienceMembers = ({ storage, tables, hot, clock, effectsOf }: MemberDeps): Members => {
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  const findAudience = async (scope: Scope, id: string): Promise<AudienceRow> => {
    const [row] = await storage.select(hot.record, [[scopeKey(scope), id]]);
    if (!row) throw notFound('audience with this id', scope);
    return row;
  };

  const change = async (
    scope: Scope,
    id: string,
    { userIds }: ReturnType<typeof parseMembers>,
    direction: ListChange['direction'],
  ): Promise<number[]> => {
    const list = await findAudience(scope, id);
    if (list.kind !== 'static') throw conflict('immutable');
    const requested = [...new Set(userIds)].map(userPerson);
    const at = clock.now();
    const isJoining = direction === 'joined';
    const { ok, plan } = await commitPlanned(storage, requested, {
      plan: async (people) => {
        const keys = people.map((person): SelectKey => [scopeKey(scope), id, person]);
        const there = new Set((await storage.select(hot.membership, keys)).map(({ person }) => person));
        const changing = people.filter((person) => there.has(person) !== isJoining);
        const { writes, wakes = [] } = await effectsOf(scope, list, { direction, people: changing, at });
        const rows = changing.map((person) => {
          const key = { ...scopeOf(scope), audienceId: id, person };
          return isJoining ? write(hot.join, { ...key, joinedAt: at }, person) : write(hot.leave, key, person);
        });
        return { writes: [...rows, ...writes], wakes, changed: changing.length };
      },
    });
    if (!ok) throw overloaded(1);
    const changed = plan?.changed ?? 0;
    return [changed, requested.length - changed];
  };

  return {
    members: async (scope, id, { userId, ...query } = {}) => {
      await findAudience(scope, id);
      const person = userId === undefined ? null : userPerson(userId);
      const page = await listPage(query, {
        binding: `members/${scopeKey(scope)}/${id}/${person ?? ''}`,
        read: (place) => store.members(scope, id, { person, ...place }),
        count: () => store.memberCount(scope, id, person),
        positionOf: (row) => row.person,
      });
      const data = page.data.map((row) => ({ userId: userIdOf(row.person) ?? '', joinedAt: row.joinedAt }));
      return { data, pagination: page.pagination };
    },
    addMembers: async (scope, id, body) => {
      const [added = 0, same = 0] = await change(scope, id, parseNewMembers(body), 'joined');
      return { added, existing: same };
    },
    removeMembers: async (scope, id, body) => {
      const [removed = 0] = await change(scope, id, parseMembers(body), 'left');
      return { removed };
    },
    ofUser: (scope, userId, query = {}) =>
      listPage(query, {
        binding: stableJson(['audiences of user', scopeKey(scope), userId]),
        read: (start) => store.ofPerson(scope, userPerson(userId), start),
        positionOf: idOf,
      }),
  };
};
