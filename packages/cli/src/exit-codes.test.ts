import { describe, expect, it } from 'vitest';
import { coreError, schemaError } from '../test/support/world.ts';
import { CliError, EXIT, failureOf } from './exit-codes.ts';

describe('failureOf', () => {
  it.each([
    ['VALIDATION_ERROR', 5],
    ['PAYLOAD_TOO_LARGE', 5],
    ['UNAUTHORIZED', 4],
    ['FORBIDDEN', 4],
    ['scope_required', 4],
    ['tier_required', 4],
    ['NOT_FOUND', 1],
    ['CONFLICT', 6],
    ['PROVIDER_NOT_CONFIGURED', 8],
    ['OVERLOADED', 10],
    ['INTERNAL', 1],
  ])('the error code %s exits %i', (code, exitCode) => {
    expect(failureOf(coreError(code, 'A sentence.'))).toMatchObject({ exitCode, code, message: 'A sentence.' });
  });

  it('a bundle of another version exits 3', () => {
    const error = coreError('VALIDATION_ERROR', 'x', { reason: 'unsupported_bundle_version', supported: [1] });
    expect(failureOf(error).exitCode).toBe(EXIT.incompatible);
  });

  it('a schema mismatch exits 3 and names the command that helps', () => {
    expect(failureOf(schemaError('newer'))).toMatchObject({
      exitCode: 3,
      code: 'SCHEMA',
      details: { reason: 'newer' },
    });
  });

  it('a failed migration prints its message without a stack and exits 1, or 10 for a full or unreachable database', () => {
    const full = Object.assign(schemaError('failed'), {
      cause: Object.assign(new Error('x'), { code: 'SQLITE_FULL' }),
    });
    for (const [error, exitCode] of [
      [schemaError('failed'), 1],
      [full, 10],
    ] as const) {
      const failure = failureOf(error);
      expect(failure).toMatchObject({ exitCode, code: 'SCHEMA', details: { reason: 'failed' } });
      expect(failure.stack).toBe(undefined);
    }
  });

  it('a wrong master key exits 2 without a stack', () => {
    const error = Object.assign(new Error('None of the keys fits.'), { name: 'WrongMasterKey' });
    expect(failureOf(error)).toEqual({ exitCode: 2, code: 'WRONG_MASTER_KEY', message: 'None of the keys fits.' });
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
