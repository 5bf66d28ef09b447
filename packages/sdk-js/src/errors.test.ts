import { describe, expect, it } from 'vitest';
import { fakePage } from '../test/support/fake-place.ts';
import type { Refusal } from '../test/support/fake-service.ts';
import { ApiError, fieldErrors, isRateLimited, isTierRequired } from './errors.ts';

const refused = async (refusal: Refusal): Promise<unknown> => {
  const page = fakePage();
  page.service.refuse(refusal);
  return page
    .client()
    .call('GET', '/anything')
    .catch((error: unknown) => error);
};

describe('ApiError helpers', () => {
  it('isTierRequired narrows to the required plan', async () => {
    const error = await refused({ status: 402, code: 'tier_required', details: { requiredPlan: 'growth' } });
    expect(isTierRequired(error) && error.details.requiredPlan).toBe('growth');
    expect(isRateLimited(error)).toBe(false);
  });

  it.each(['RATE_LIMIT', 'RATE_LIMITED'])('retryAfterSeconds reads %s from a header alone', async (code) => {
    const error = await refused({ status: 429, code, headers: { 'retry-after': '12' } });
    expect(isRateLimited(error) && error.details.retryAfterSeconds).toBe(12);
    expect(isTierRequired(error)).toBe(false);
  });

  it('details.retryAfterSeconds overrides the header', async () => {
    const details = { retryAfterSeconds: 3 };
    const error = await refused({ status: 429, code: 'RATE_LIMITED', details, headers: { 'retry-after': '12' } });
    expect(isRateLimited(error) && error.details.retryAfterSeconds).toBe(3);
  });

  it('fieldErrors lists the errors of each field', async () => {
    const details = { fieldErrors: { userId: ['too long'] } };
    expect(fieldErrors(await refused({ status: 400, code: 'VALIDATION_ERROR', details }))).toEqual(details.fieldErrors);
    expect(fieldErrors(await refused({ status: 400 }))).toEqual({});
    expect(fieldErrors(new Error('other'))).toEqual({});
  });

  it('an ApiError carries request id, status and message', async () => {
    const error = await refused({ status: 404, code: 'NOT_FOUND' });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 404,
      code: 'NOT_FOUND',
      message: 'No.',
      requestId: 'request-1',
    });
  });
});
