import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../../foundation/errors.ts';
import type { NewKey } from './api.ts';
import { checkNewKey } from './new-key.ts';
import { MAX_GRANTS, MAX_NAME } from './schema.ts';
import { KEY_SCOPES } from './scopes.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const base = { kind: 'secret', environment: 'prod', grants: [{ orgId: 'A', projectId: 'p' }] } as const;
const check = (over: Partial<NewKey> = {}) => checkNewKey({ ...base, ...over }, now);
const wrong = (over: object): string[] => {
  try {
    check(over);
  } catch (error) {
    if (isBeckonError(error, 'VALIDATION_ERROR')) return Object.keys(error.details?.fieldErrors ?? {});
    throw error;
  }
  return [];
};

describe('checkNewKey', () => {
  it('a secret key gets every scope by default, and a public key its two', () => {
    expect(check().scopes).toEqual(KEY_SCOPES);
    expect(check({ kind: 'public' }).scopes).toEqual(['events.write', 'tokens:write']);
  });

  it('a key gets the selected scopes, each once', () => {
    expect(check({ scopes: ['push:send', 'keys:read', 'push:send'] }).scopes).toEqual(['push:send', 'keys:read']);
    expect(check({ kind: 'public', scopes: ['events.write'] }).scopes).toEqual(['events.write']);
  });

  it('an unknown scope and an empty list of scopes are rejected', () => {
    expect(wrong({ scopes: ['events.write', 'push:everything'] })).toEqual(['scopes.1']);
    expect(wrong({ scopes: [] })).toEqual(['scopes']);
  });

  it('a public key may not have scopes of a server', () => {
    expect(wrong({ kind: 'public', scopes: ['events.write', 'push:send'] })).toEqual(['scopes']);
  });

  it("a key's name is trimmed, and defaults to its kind and environment", () => {
    expect(check({ name: '  CI ' }).name).toBe('CI');
    expect(check().name).toBe('secret prod');
  });

  it.each([' ', '', 'x'.repeat(MAX_NAME + 1), 'a\0b', '\ud800'])('%j is rejected as a name', (name) => {
    expect(wrong({ name })).toEqual(['name']);
  });

  it('a name of 200 characters is accepted', () => {
    expect(check({ name: 'x'.repeat(200) }).name).toHaveLength(200);
  });

  it('an expiry must be a date in the future', () => {
    expect(wrong({ expiresAt: now })).toEqual(['expiresAt']);
    expect(wrong({ expiresAt: new Date(Number.NaN) })).toEqual(['expiresAt']);
    expect(check({ expiresAt: new Date(now.getTime() + 1) }).expiresAt).not.toBeNull();
  });

  it('each grant is kept once, and all projects replace single ones', () => {
    const named = { orgId: 'A', projectId: 'p' };
    const all = { orgId: 'A', projectId: '*' };
    const other = { orgId: 'B', projectId: 'p' };
    expect(check({ grants: [named, named, other] }).grants).toEqual([named, other]);
    expect(check({ grants: [named, all, all, other] }).grants).toEqual([all, other]);
  });

  it.each([
    [{ orgId: 'A', projectId: '*' }],
    [base.grants[0], { orgId: 'A', projectId: 'q' }],
    [base.grants[0], { orgId: 'B', projectId: 'p' }],
  ])('a public key may not have more than one organization and project (%#)', (...grants) => {
    expect(wrong({ kind: 'public', grants })).toEqual(['grants']);
    expect(wrong({ grants })).toEqual([]);
  });

  it('no grants, too many grants, and malformed grants are rejected', () => {
    expect(wrong({ grants: [] })).toEqual(['grants']);
    const many = Array.from({ length: MAX_GRANTS + 1 }, (_, at) => ({ orgId: 'A', projectId: `${at}` }));
    expect(wrong({ grants: many })).toEqual(['grants']);
    expect(wrong({ grants: [{ orgId: 'A' }] })).toEqual(['grants.0.projectId']);
  });

  it('an unknown kind, environment or field is rejected', () => {
    expect(wrong({ kind: 'admin', environment: 'dev', role: 'root' })).toEqual(['kind', 'environment', 'role']);
  });
});
