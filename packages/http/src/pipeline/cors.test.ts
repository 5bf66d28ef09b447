import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const send = (method: string, path: string, key = '', body?: string): Promise<Response> =>
  createHandler(fakeBeckon().beckon).fetch(
    new Request(`http://test/api/v1${path}`, {
      method,
      headers: { ...(key !== '' && { 'x-api-key': key }), 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    }),
  );

describe('pages of other origins', () => {
  it('pages of other origins may send and read every header of public routes, and a preflight is cached for ten minutes', async () => {
    const { headers } = await send('OPTIONS', '/events');
    const named = (name: string): string[] => headers.get(name)?.split(', ').sort() ?? [];
    expect(named('access-control-allow-headers')).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'x-api-key',
    ]);
    expect(named('access-control-allow-methods')).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(named('access-control-expose-headers')).toEqual([
      'Idempotent-Replayed',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-Request-ID',
    ]);
  });

  it('pages of other origins may read every error of a public path', async () => {
    const answers = [
      await send('DELETE', '/events'),
      await send('POST', '/events', 'pk_prod_one', '{'),
      await send('POST', '/events?projectId=nothing', 'pk_prod_one', '{}'),
      await send('POST', '/events', 'pk_prod_one', 'x'.repeat(32_769)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([405, 400, 404, 413]);
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});
