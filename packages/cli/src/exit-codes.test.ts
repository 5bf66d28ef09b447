import { BeckonError, SchemaError, WrongMasterKey } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { CliError, EXIT, failureOf } from './exit-codes.ts';

const TEXT = 'A sentence.';
const NO_PROVIDER = { channel: 'sms', provider: 'twilio', missing: ['authToken'] };

describe('failureOf', () => {
  it.each([
    { error: new BeckonError('VALIDATION_ERROR', TEXT), exitCode: 5 },
    { error: new BeckonError('PAYLOAD_TOO_LARGE', TEXT, { details: { max: 1 } }), exitCode: 5 },
    { error: new BeckonError('UNAUTHORIZED', TEXT), exitCode: 4 },
    { error: new BeckonError('FORBIDDEN', TEXT), exitCode: 4 },
    { error: new BeckonError('scope_required', TEXT, { details: { requiredScope: 'sends.write' } }), exitCode: 4 },
    { error: new BeckonError('tier_required', TEXT, { details: { requiredPlan: 'pro' } }), exitCode: 4 },
    { error: new BeckonError('NOT_FOUND', TEXT), exitCode: 1 },
    { error: new BeckonError('CONFLICT', TEXT, { details: { reason: 'version_changed' } }), exitCode: 6 },
    { error: new BeckonError('PROVIDER_NOT_CONFIGURED', TEXT, { details: NO_PROVIDER }), exitCode: 8 },
    { error: new BeckonError('OVERLOADED', TEXT, { retryAfterSeconds: 1 }), exitCode: 10 },
    { error: new BeckonError('INTERNAL', TEXT), exitCode: 1 },
  ])('the error code $error.code exits $exitCode', ({ error, exitCode }) => {
    const { code } = error;
    expect(failureOf(error)).toMatchObject({ exitCode, code, message: TEXT });
  });

  it('a bundle of another version exits 3', () => {
    const details = { reason: 'unsupported_bundle_version', supported: [1] } as const;
    const error = new BeckonError('VALIDATION_ERROR', 'x', { details });
    expect(failureOf(error).exitCode).toBe(EXIT.incompatible);
  });

  it('a schema mismatch exits 3 and names the command that helps', () => {
    expect(failureOf(new SchemaError('newer', 'The database is newer.'))).toMatchObject({
      exitCode: 3,
      code: 'SCHEMA',
      details: { reason: 'newer' },
    });
  });

  it('a failed migration prints its message without a stack and exits 1, or 10 for a full or unreachable database', () => {
    const cause = Object.assign(new Error('x'), { code: 'SQLITE_FULL' });
    const full = new SchemaError('failed', 'A migration failed.', { cause });
    for (const [error, exitCode] of [
      [new SchemaError('failed', 'A migration failed.'), 1],
      [full, 10],
    ] as const) {
      const failure = failureOf(error);
      expect(failure).toMatchObject({ exitCode, code: 'SCHEMA', details: { reason: 'failed' } });
      expect(failure.stack).toBe(undefined);
    }
  });

  it('a wrong master key exits 2 without a stack', () => {
    const error = new WrongMasterKey();
    expect(failureOf(error)).toEqual({ exitCode: 2, code: 'WRONG_MASTER_KEY', message: error.message });
  });

  it('a CliError keeps its message, code and hint', () => {
    const error = new CliError(EXIT.unconfirmed, 'why', { hint: 'what now' });
    expect(failureOf(error)).toEqual({ exitCode: 9, code: 'CONFIRMATION_REQUIRED', message: 'why', hint: 'what now' });
  });

  it('an unreachable database exits 10 at any depth of the cause', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(failureOf(new Error('no database', { cause })).exitCode).toBe(EXIT.unavailable);
  });

  it('an unreadable file prints no stack', () => {
    const failure = failureOf(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    expect(failure).toEqual({ exitCode: 1, code: 'FAILED', message: 'no such file' });
  });

  it('a database that rejects the password prints no stack', () => {
    const failure = failureOf(Object.assign(new Error('password authentication failed'), { code: '28P01' }));
    expect(failure).toEqual({ exitCode: 1, code: 'FAILED', message: 'password authentication failed' });
  });

  it('an unexpected error prints its stack', () => {
    expect(failureOf(new TypeError('x is not a function')).stack).toContain('TypeError');
  });

  it.each(['EACCES', 'EPERM', 'SQLITE_READONLY'])('%s prints a hint about permissions, without a stack', (code) => {
    const failure = failureOf(Object.assign(new Error('permission denied'), { code }));
    expect(failure).toMatchObject({ exitCode: 1, code: 'FAILED' });
    expect(failure.hint).toContain('--data-dir');
    expect(failure.stack).toBeUndefined();
    expect(failureOf(Object.assign(new Error('none'), { code: 'ENOENT' })).hint).toBeUndefined();
  });

  it('a thrown value that is not an Error has a message and a code', () => {
    expect(failureOf('odd')).toMatchObject({ exitCode: 1, message: 'odd' });
  });
});
