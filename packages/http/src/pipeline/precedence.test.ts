import { conflict } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const CAP = 1_048_576;

const make = () => {
  const { beckon, calls } = fakeBeckon({ email: { send: () => Promise.reject<never>(conflict('exists')) } });
  const handler = createHandler(beckon);
  /** The status of an email send. */
  const mail = async (query: string, body: string, headers: Record<string, string> = {}): Promise<number> => {
    const request = new Request(`http://test/api/v1/email/send${query}`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk_prod_one', 'content-type': 'application/json', ...headers },
      body,
    });
    return (await handler.fetch(request)).status;
  };
  return { mail, handler, calls };
};

describe("a project outside the key's grants", () => {
  const nothing = '?projectId=nothing';

  it("an unknown project is reported after errors of the body, and before the engine's errors", async () => {
    const { mail, calls } = make();
    expect(await mail(nothing, '{}', { 'content-length': String(CAP + 1) })).toBe(413);
    expect(await mail(nothing, 'x'.repeat(CAP + 1))).toBe(413);
    expect(await mail(nothing, '{}', { 'content-type': 'text/html' })).toBe(415);
    expect(await mail(nothing, '{')).toBe(400);
    expect(await mail(nothing, '{}')).toBe(404);
    expect(await mail('', '{"projectId":"nothing"}')).toBe(404);
    expect(await mail('', '{}')).toBe(409);
    expect(calls).toEqual([]);
  });

  it('an unknown project is reported before an invalid Idempotency-Key', async () => {
    const { mail } = make();
    expect(await mail(nothing, '{}', { 'idempotency-key': '' })).toBe(404);
    expect(await mail('', '{}', { 'idempotency-key': '' })).toBe(400);
  });
});

describe('a route of the other environment', () => {
  it('a route of the other environment gets 404, also with a key that lacks its scope', async () => {
    const headers = { 'x-api-key': 'sk_prod_nothing' };
    const { status } = await make().handler.fetch(new Request('http://test/api/v1/sandbox/messages', { headers }));
    expect(status).toBe(404);
  });
});
