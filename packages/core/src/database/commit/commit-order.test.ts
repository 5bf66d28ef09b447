import { describe, expect, it } from 'vitest';
import { tablesOf } from '../../app/tables.ts';
import { runStatements } from '../../automation/runs/statements.ts';
import { TOKEN_FIELDS } from '../../messaging/push/schema.ts';
import { pushStatements } from '../../messaging/push/statements.ts';
import { sendingStatements } from '../../messaging/sends/statements.ts';
import { eventStatements } from '../../people/events/statements.ts';
import { profileStatements } from '../../people/profiles/statements.ts';
import { idempotencyStatements } from '../../platform/idempotency/statements.ts';
import { tenancyStatements } from '../../platform/tenancy/statements.ts';
import { bulkDelete, bulkInsert, bulkUpdate } from '../statements/bulk.ts';
import { rankOf } from './commit-order.ts';

const tables = tablesOf('sqlite');
const push = pushStatements(tables);
const written = [
  ...[
    eventStatements,
    idempotencyStatements,
    profileStatements,
    runStatements,
    sendingStatements,
    tenancyStatements,
  ].flatMap((hot) => Object.values<{ kind: string; id: string; rank?: number }>(hot(tables))),
  push.claimOwner,
  push.changeOwner,
  push.leave,
  push.arrive,
  push.follow,
  push.deactivate,
  push.learn,
].filter(({ kind }) => kind === 'write');

describe('commit order', () => {
  it('every statement has a rank of its own', () => {
    expect(written.length).toBeGreaterThan(30);
    expect(new Set(written.map(({ id }) => id)).size).toBe(written.length);
    expect(new Set(written.map(({ rank }) => rank)).size).toBe(written.length);
    for (const { id, rank } of written) expect(rank).toBe(rankOf(id));
  });

  it('the statements that register devices share one rank, since a commit has one of them', () => {
    const ranks = [push.upsert([]), push.upsert(TOKEN_FIELDS)].map(({ rank }) => rank);
    expect(new Set(ranks)).toEqual(new Set([rankOf('push.upsert')]));
  });

  it('rankOf rejects a statement that is not in the list', () => {
    const { sends } = tables;
    const where = ['id'] as const;
    expect(() => rankOf('sending.new')).toThrow(TypeError);
    expect(() => bulkInsert('sending.new', sends, ['id'])).toThrow('storage/commit-order.ts');
    expect(() => bulkUpdate('sending.new', sends, { where, set: {} })).toThrow(TypeError);
    expect(() => bulkDelete('sending.new', sends, { where })).toThrow(TypeError);
  });
});
