import { type Log, StorageError } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { answerOfError } from './errors.ts';

describe('answerOfError', () => {
  it.each([
    ['55P03', 'LOCK_TIMEOUT'],
    ['SQLITE_BUSY', 'LOCK_TIMEOUT'],
    ['SQLITE_BUSY_SNAPSHOT', 'LOCK_TIMEOUT'],
    ['57014', 'QUERY_TIMEOUT'],
    ['DEADLINE', 'DEADLINE_EXCEEDED'],
  ])('the database error %s is answered 503 with what took too long and Retry-After', (thrown, code) => {
    const warned: unknown[] = [];
    const quiet = (): void => undefined;
    const log: Log = { info: quiet, warn: (fields) => warned.push(fields), error: quiet };
    const answer = answerOfError(new StorageError(thrown), 'request-1', log);
    expect(answer.status).toBe(503);
    expect(answer.headers).toMatchObject({ 'Retry-After': '1' });
    expect(answer.body).toContain(`"code":"${code}"`);
    expect(answer.body).toContain('Beckon stored nothing');
    expect(warned).toEqual([expect.objectContaining({ requestId: 'request-1', code })]);
  });
});
