import { describe, expect, it } from 'vitest';
import { eventHot } from '../events/hot.ts';
import { idempotencyHot } from '../idempotency/hot.ts';
import { profileHot } from '../profiles/hot.ts';
import { pushHot } from '../push/hot.ts';
import { TOKEN_FIELDS } from '../push/schema.ts';
import { runHot } from '../runs/hot.ts';
import { sendingHot } from '../sending/hot.ts';
import { tablesOf } from '../tables.ts';
import { tenancyHot } from '../tenancy/hot.ts';
import { bulkDelete, bulkInsert, bulkUpdate } from './bulk.ts';
import { rankOf } from './commit-order.ts';

const tables = tablesOf('sqlite');
const push = pushHot(tables);
const written = [
  ...[eventHot, idempotencyHot, profileHot, runHot, sendingHot, tenancyHot].flatMap((hot) =>
    Object.values<{ kind: string; id: string; rank?: number }>(hot(tables)),
  ),
  push.move,
  push.follow,
  push.deactivate,
  push.learn,
].filter(({ kind }) => kind === 'write');

describe('the order of statements within a commit', () => {
  it('gives every statement a rank of its own', () => {
    expect(written.length).toBeGreaterThan(30);
    expect(new Set(written.map(({ id }) => id)).size).toBe(written.length);
    expect(new Set(written.map(({ rank }) => rank)).size).toBe(written.length);
    for (const { id, rank } of written) expect(rank).toBe(rankOf(id));
  });

  it('has one rank for the registrations of devices, of which a commit has one', () => {
    const ranks = [push.upsert([]), push.upsert(TOKEN_FIELDS)].map(({ rank }) => rank);
    expect(new Set(ranks)).toEqual(new Set([rankOf('push.upsert')]));
  });

  it('refuses a statement that it does not name', () => {
    const { sends } = tables;
    const where = ['id'] as const;
    expect(() => rankOf('sending.new')).toThrow(TypeError);
    expect(() => bulkInsert('sending.new', sends, ['id'])).toThrow('storage/commit-order.ts');
    expect(() => bulkUpdate('sending.new', sends, { where, set: {} })).toThrow(TypeError);
    expect(() => bulkDelete('sending.new', sends, { where })).toThrow(TypeError);
  });
});
