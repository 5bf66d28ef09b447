import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import { bulkQuery } from '../../database/statements/sql-text.ts';
import type { AudienceTables } from './tables.ts';

const MEMBER = ['scopeId', 'audienceId', 'person'] as const;

/** Statements that change memberships. */
export const audienceStatements = ({ audiences, audienceMembers, audienceChecks }: AudienceTables) => ({
  /** Guarded: of two concurrent joins, one finds the other's row. */
  join: bulkInsert('audiences.join', audienceMembers, [...MEMBER, 'joinedAt'], {
    conflict: { target: [...MEMBER] },
    isGuarded: true,
  }),
  leave: bulkDelete('audiences.leave', audienceMembers, { where: [...MEMBER], isGuarded: true }),
  /** Schedules a check, unless an earlier one is scheduled. */
  check: bulkInsert('audiences.check', audienceChecks, ['scopeId', 'id', 'dueAt', 'fence'], {
    conflict: {
      target: ['scopeId', 'id'],
      set: ['dueAt'],
      when: (column) => `${column('due_at')} > excluded."due_at"`,
    },
    isOrdered: true,
  }),
  endCheck: bulkDelete('audiences.end_check', audienceChecks, { where: ['scopeId', 'id', 'fence'], isGuarded: true }),
  checkAgain: bulkUpdate('audiences.check_again', audienceChecks, {
    where: ['scopeId', 'id', 'fence'],
    set: { dueAt: 'value', leaseUntil: 'null' },
    isGuarded: true,
  }),
  /** Progress of a build under its lease. */
  advance: bulkUpdate('audiences.advance', audiences, {
    where: ['scopeId', 'id', 'fence'],
    set: { cursor: 'value' },
    isGuarded: true,
  }),
  /** Ends a stage of a build. */
  nextStage: bulkUpdate('audiences.next_stage', audiences, {
    where: ['scopeId', 'id', 'fence'],
    set: { cursor: 'null', stage: 'value', dueAt: 'value', leaseUntil: 'null' },
    isGuarded: true,
  }),
  ofScope: bulkSelect(
    'audiences.of_scope',
    audiences,
    ['scopeId'],
    ['scopeId', 'id', 'name', 'kind', 'version', 'stage'],
  ),
  predicates: bulkSelect(
    'audiences.predicates',
    audiences,
    ['scopeId', 'id'],
    ['scopeId', 'id', 'version', 'predicate'],
  ),
  /** An audience that is not being removed. */
  record: bulkSelect(
    'audiences.record',
    audiences,
    ['scopeId', 'id'],
    [
      ...(['scopeId', 'id', 'name', 'description', 'kind', 'predicate', 'version', 'stage', 'cursor'] as const),
      ...(['createdAt', 'updatedAt', 'dueAt', 'leaseUntil', 'fence'] as const),
    ],
    (column) => `(${column('stage')} is null or ${column('stage')} <> 'remove')`,
  ),
  memberships: bulkSelect('audiences.memberships', audienceMembers, ['scopeId', 'person'], MEMBER),
  /** Number of members, typed as an integer like the scope column. */
  members: bulkQuery('audiences.members', audienceMembers, {
    values: { scopeId: 'scopeId', audienceId: 'audienceId' },
    columns: { members: 'scopeId' },
    text: ({ value }) =>
      `select cast(count(*) as integer) from audience_members where scope_id = ${value('scopeId')} and audience_id = ${value('audienceId')}`,
  }),
  membership: bulkSelect('audiences.membership', audienceMembers, [...MEMBER], MEMBER),
});

export type AudienceStatements = ReturnType<typeof audienceStatements>;
