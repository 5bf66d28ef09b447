import { notFound } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon, ORG_A } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const make = (overrides: Parameters<typeof fakeBeckon>[0] = {}) => {
  const handler = createHandler(fakeBeckon(overrides).beckon);
  return async (method: string, path: string, key: string, body?: unknown) => {
    const response = await handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const { status, headers } = response;
    return { status, headers, json: await response.json() };
  };
};

describe('push routes', () => {
  it('registering a new token is answered 201, and a known one 200', async () => {
    for (const [isNew, status] of [
      [true, 201],
      [false, 200],
    ] as const) {
      const token = { id: 't' } as never;
      const call = make({ tokens: { register: async () => ({ token, isNew }) } });
      expect(await call('POST', '/push/tokens', 'pk_prod_one', {})).toMatchObject({
        status,
        json: { data: { id: 't' } },
      });
    }
  });

  it('a dry run is answered 200 and creates nothing', async () => {
    const dry = { dryRun: true } as never;
    const call = make({ push: { send: async () => dry } });
    expect(await call('POST', '/push/send', 'sk_prod_one', {})).toMatchObject({ status: 200, json: { data: dry } });
  });

  it.each([
    ['POST', '/push/tokens', 201],
    ['DELETE', '/push/tokens/t', 200],
    ['GET', '/push/web-config', 200],
    ['POST', '/push/track-open', 200],
    ['POST', '/push/track-delivered', 200],
  ])('a public key may call %s %s from any origin', async (method, path, status) => {
    const answer = await make()(method, path, 'pk_prod_one', method === 'POST' ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['POST', '/push/send', 'push:send'],
    ['GET', '/push/sends', 'push:read'],
    ['GET', '/push/sends/s', 'push:read'],
    ['GET', '/push/sends/s/messages', 'push:read'],
  ])('a public key may not call %s %s', async (method, path, requiredScope) => {
    const answer = await make()(method, path, 'pk_prod_one', method === 'POST' ? {} : undefined);
    expect(answer).toMatchObject({
      status: 403,
      json: { error: { code: 'scope_required', details: { requiredScope } } },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['POST', '/push/tokens', 404],
    ['POST', '/push/track-open', 404],
    ['DELETE', '/push/tokens/t', 200],
    ['POST', '/push/track-delivered', 200],
    ['POST', '/push/send', 201],
  ])('%s %s below an organization is answered %i', async (method, path, status) => {
    const answer = await make()(method, `/orgs/${ORG_A}${path}`, 'sk_prod_one', method === 'POST' ? {} : undefined);
    expect(answer.status).toBe(status);
  });

  it('an unknown token is answered 404', async () => {
    const call = make({
      tokens: {
        delete: async () => {
          throw notFound();
        },
      },
    });
    expect((await call('DELETE', '/push/tokens/t', 'pk_prod_one')).status).toBe(404);
  });
});
