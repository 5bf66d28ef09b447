import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../../foundation/errors.ts';
import { toAudience } from './to-audience.ts';

const refused = (body: unknown): unknown => {
  try {
    return toAudience(body);
  } catch (error) {
    if (error instanceof BeckonError) return error.details;
    throw error;
  }
};

describe('the body of a send to an audience', () => {
  it('a body with an audience and no other recipients is returned unchanged', () => {
    const body = { audienceId: 'x', title: 't', userIds: undefined, tokens: null };
    expect(toAudience(body)).toBe(body);
    expect(toAudience('no object')).toBe('no object');
  });

  it('a body without an audience or with other recipients is rejected', () => {
    expect(refused({ title: 't' })).toEqual({ fieldErrors: { audienceId: ['is required'] } });
    expect(refused({ audienceId: null, to: 'a@b.c' })).toEqual({
      fieldErrors: { audienceId: ['is required'], to: ['is not allowed for a send to an audience'] },
    });
    for (const name of ['to', 'cc', 'bcc', 'userIds', 'tokens'])
      expect(refused({ audienceId: 'x', [name]: ['y'] })).toMatchObject({
        fieldErrors: { [name]: [expect.any(String)] },
      });
  });
});
