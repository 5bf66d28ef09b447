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
  it('gives a secret key every scope and a public key the two it may hold', () => {
    expect(check().scopes).toEqual(KEY_SCOPES);
    expect(check({ kind: 'public' }).scopes).toEqual(['events.write', 'tokens:write']);
  });

  it('gives the chosen scopes, each once', () => {
    expect(check({ scopes: ['push:send', 'keys:read', 'push:send'] }).scopes).toEqual(['push:send', 'keys:read']);
    expect(check({ kind: 'public', scopes: ['events.write'] }).scopes).toEqual(['events.write']);
  });

  it('refuses a scope that nobody knows, and a choice of none', () => {
    expect(wrong({ scopes: ['events.write', 'push:everything'] })).toEqual(['scopes.1']);
    expect(wrong({ scopes: [] })).toEqual(['scopes']);
  });

  it('refuses a public key what only a server may do', () => {
    expect(wrong({ kind: 'public', scopes: ['events.write', 'push:send'] })).toEqual(['scopes']);
  });

  it('trims the name and names a key without one after what it is', () => {
    expect(check({ name: '  CI ' }).name).toBe('CI');
    expect(check().name).toBe('secret prod');
  });

  it.each([' ', '', 'x'.repeat(MAX_NAME + 1), 'a\0b', '\ud800'])('refuses %j as a name', (name) => {
    expect(wrong({ name })).toEqual(['name']);
  });

  it('takes a name of 200 characters', () => {
    expect(check({ name: 'x'.repeat(200) }).name).toHaveLength(200);
  });

  it('refuses an end that is not in the future, or no date', () => {
    expect(wrong({ expiresAt: now })).toEqual(['expiresAt']);
    expect(wrong({ expiresAt: new Date(Number.NaN) })).toEqual(['expiresAt']);
    expect(check({ expiresAt: new Date(now.getTime() + 1) }).expiresAt).not.toBeNull();
  });

  it('keeps each grant once and lets all projects stand for single ones', () => {
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
  ])('refuses a public key more than one org and project (%#)', (...grants) => {
    expect(wrong({ kind: 'public', grants })).toEqual(['grants']);
    expect(wrong({ grants })).toEqual([]);
  });

  it('refuses no grants, too many, and grants of another shape', () => {
    expect(wrong({ grants: [] })).toEqual(['grants']);
    const many = Array.from({ length: MAX_GRANTS + 1 }, (_, at) => ({ orgId: 'A', projectId: `${at}` }));
    expect(wrong({ grants: many })).toEqual(['grants']);
    expect(wrong({ grants: [{ orgId: 'A' }] })).toEqual(['grants.0.projectId']);
  });

  it('refuses a kind, an environment and a field that nobody knows', () => {
    expect(wrong({ kind: 'admin', environment: 'dev', role: 'root' })).toEqual(['kind', 'environment', 'role']);
  });
});
