import { BeckonError } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

describe('email send rate limit', () => {
  it("an email send above the organization's limit is answered 429 with Retry-After, and sends nothing", async () => {
    const refuse = async (): Promise<never> => {
      throw new BeckonError('RATE_LIMITED', 'Later.', {
        details: { retryAfterSeconds: 6, limit: 60, reason: 'email_sends' },
      });
    };
    const { beckon, calls } = fakeBeckon({ limits: { mailRequest: refuse } });
    const response = await createHandler(beckon).fetch(
      new Request('http://test/api/v1/email/send', {
        method: 'POST',
        headers: { 'x-api-key': 'sk_prod_one', 'content-type': 'application/json' },
        body: '{}',
      }),
    );
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('6');
    expect(await response.json()).toMatchObject({
      error: { code: 'RATE_LIMITED', details: { reason: 'email_sends' } },
    });
    expect(calls).toEqual([]);
  });
});
