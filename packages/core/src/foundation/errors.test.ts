import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  BeckonError,
  catalogue,
  conflict,
  fieldErrorsOf,
  internal,
  isBeckonError,
  notFound,
  overloaded,
  payloadTooLarge,
  providerNotConfigured,
  retiredCodes,
  scopeRequired,
  unauthorized,
  validationError,
} from './errors.ts';

const issuesOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  if (!error) throw new Error('the schema accepted what the test means to be refused');
  return error;
};

describe('BeckonError', () => {
  it('BeckonError takes retryAfterSeconds from the details of RATE_LIMITED', () => {
    const error = new BeckonError('RATE_LIMITED', 'The bucket is empty.', {
      details: { retryAfterSeconds: 7, limit: 200 },
    });
    expect(error.retryAfterSeconds).toBe(7);
  });

  it('BeckonError keeps its cause and stack, and has no cause without one', () => {
    const cause = new Error('socket closed');
    expect(internal(cause).cause).toBe(cause);
    expect(internal(cause).message).not.toContain('socket');
    expect('cause' in notFound()).toBe(false);
    expect(notFound().stack).toContain('errors.test.ts');
  });

  it('no retired code, such as PROVIDER_ERROR, is in the catalogue', () => {
    expect(retiredCodes).toEqual({ PROVIDER_ERROR: 502 });
    for (const code of Object.keys(retiredCodes)) expect(code in catalogue).toBe(false);
  });

  it('the compiler rejects a BeckonError without the details of its code', () => {
    // @ts-expect-error PAYLOAD_TOO_LARGE requires max
    const noMax = () => new BeckonError('PAYLOAD_TOO_LARGE', 'Too large.');
    // @ts-expect-error OVERLOADED requires retryAfterSeconds
    const noTime = () => new BeckonError('OVERLOADED', 'Later.');
    // @ts-expect-error tier_required requires requiredPlan
    const noPlan = () => new BeckonError('tier_required', 'Upgrade.', { details: { plan: 'growth' } });
    expect([noMax, noTime, noPlan].map((make) => make().code)).toEqual([
      'PAYLOAD_TOO_LARGE',
      'OVERLOADED',
      'tier_required',
    ]);
  });

  it('BeckonError has the status of its code in the catalogue', () => {
    for (const [code, status] of Object.entries(catalogue)) {
      // Safe: codes come from the catalogue, and the status does not depend on the details.
      const error = new BeckonError(...([code, 'x', { retryAfterSeconds: 1 }] as never));
      expect([code, error.status]).toEqual([code, status]);
    }
  });

  it('isBeckonError recognises an error by its code', () => {
    expect(isBeckonError(conflict('final'), 'CONFLICT')).toBe(true);
    expect(isBeckonError(conflict('final'), 'NOT_FOUND')).toBe(false);
    expect(isBeckonError({ code: 'CONFLICT' }, 'CONFLICT')).toBe(false);
  });
});

describe('the error factories', () => {
  it('the error factories set the code, status and details of the catalogue', () => {
    const provider = { channel: 'push', provider: 'apns', missing: ['keyId'] };
    const shown = [
      notFound(),
      unauthorized(),
      scopeRequired('push:send'),
      conflict('duplicate', { id: 'e1' }),
      providerNotConfigured(provider),
      payloadTooLarge(32_768),
      overloaded(5),
      internal('x'),
    ].map(({ status, code, details }) => [status, code, details]);
    expect(shown).toEqual([
      [404, 'NOT_FOUND', undefined],
      [401, 'UNAUTHORIZED', undefined],
      [403, 'scope_required', { requiredScope: 'push:send' }],
      [409, 'CONFLICT', { reason: 'duplicate', id: 'e1' }],
      [412, 'PROVIDER_NOT_CONFIGURED', provider],
      [413, 'PAYLOAD_TOO_LARGE', { max: 32_768 }],
      [503, 'OVERLOADED', undefined],
      [500, 'INTERNAL', undefined],
    ]);
  });

  it('notFound states the kind of resource and its scope, never the value', () => {
    expect(notFound().message).toBe('No such resource.');
    expect(notFound('org with this id').message).toBe('No org with this id.');
    expect(notFound('send with this id', { projectId: 'p1', environment: 'test' }).message).toBe(
      'No send with this id in environment test of project p1.',
    );
  });

  it('conflict sets a retry delay of 1 second for idempotency_in_progress only', () => {
    expect(conflict('idempotency_in_progress').retryAfterSeconds).toBe(1);
    expect(conflict('final').retryAfterSeconds).toBeUndefined();
    expect(overloaded(5).retryAfterSeconds).toBe(5);
  });

  it('conflict has a sentence for an unknown reason', () => {
    expect(conflict('phone_taken').message).toMatch(/conflicts/);
  });
});

describe('validationError', () => {
  const fieldErrors = (error: BeckonError) => error.details?.['fieldErrors'];

  it('validationError lists at most 20 fields with at most 5 messages each', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, ['a', 'b', 'c', 'd', 'e', 'f']]));
    const named = fieldErrors(validationError(many));
    expect(Object.keys(named ?? {})).toHaveLength(20);
    expect(named).toHaveProperty('f0', ['a', 'b', 'c', 'd', 'e']);
  });

  it('validationError cuts a name to 128 characters of well-formed text and merges names that become equal', () => {
    const named = fieldErrors(
      validationError({ [`${'k'.repeat(127)}\u{1F600}`]: ['x'], [`${'k'.repeat(127)}\ufffdmore`]: ['y'] }),
    );
    expect(named).toEqual({ [`${'k'.repeat(127)}\ufffd`]: ['x', 'y'] });
  });

  it('validationError adds messages to a listed name after the limit of names', () => {
    const long = 'k'.repeat(128);
    const others = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`f${n}`, ['x']]));
    const named = fieldErrors(validationError({ [long]: ['a'], ...others, [`${long}k`]: ['b'] }));
    expect(named).toHaveProperty([long], ['a', 'b']);
    expect(Object.keys(named ?? {})).toHaveLength(20);
  });

  it('validationError keeps a field named __proto__ as data', () => {
    const named = fieldErrors(validationError(JSON.parse('{"__proto__":["no"]}')));
    expect(JSON.stringify(named)).toBe('{"__proto__":["no"]}');
  });

  it('the message of a validation error contains the first field and its problem', () => {
    const twice = validationError({ to: ['pass exactly one of to, userIds or audienceId'], text: ['Is missing.'] });
    expect(twice.message).toBe('Invalid request: `to`: pass exactly one of to, userIds or audienceId.');
    expect(validationError({ text: ['Is missing.'] }).message).toBe('Invalid request: `text`: Is missing.');
    expect(validationError({ text: ['x'.repeat(1_000)] }).message).toHaveLength(326);
    expect(validationError({}).message).toBe('Invalid request.');
  });

  it('keeps further details beside the fields', () => {
    const error = validationError({ version: ['Unknown.'] }, 'No.', {
      reason: 'unsupported_bundle_version',
      supported: [1],
    });
    expect(error.details).toEqual({
      reason: 'unsupported_bundle_version',
      supported: [1],
      fieldErrors: { version: ['Unknown.'] },
    });
    expect(error.message).toBe('No.');
  });
});

describe('fieldErrorsOf', () => {
  const schema = z.strictObject({ name: z.string(), items: z.array(z.strictObject({ weight: z.number() })) });

  it('fieldErrorsOf names nested fields by dotted path, after the prefix', () => {
    const error = issuesOf(schema, { name: 'a', items: [{ weight: 1 }, { weight: 'x' }] });
    expect(Object.keys(fieldErrorsOf(error))).toEqual(['items.1.weight']);
    expect(Object.keys(fieldErrorsOf(error, 'workflows.2'))).toEqual(['workflows.2.items.1.weight']);
  });

  it('fieldErrorsOf names an issue of the whole value "body", or by the prefix', () => {
    const error = issuesOf(schema, null);
    expect(Object.keys(fieldErrorsOf(error))).toEqual(['body']);
    expect(Object.keys(fieldErrorsOf(error, 'trigger'))).toEqual(['trigger']);
  });

  it('fieldErrorsOf lists each unknown key by its path', () => {
    const error = issuesOf(schema, { name: 'a', items: [{ weight: 1, size: 2 }], extra: 1 });
    expect(Object.keys(fieldErrorsOf(error)).sort()).toEqual(['extra', 'items.0.size']);
  });

  it("fieldErrorsOf reports the branch of a union that fits the value's type", () => {
    const to = z.object({ to: z.union([z.string(), z.strictObject({ email: z.string() })]) });
    expect(Object.keys(fieldErrorsOf(issuesOf(to, { to: { email: 1 } })))).toEqual(['to.email']);
    expect(Object.keys(fieldErrorsOf(issuesOf(to, { to: 1 })))).toEqual(['to']);
  });

  it('fieldErrorsOf has plain messages for a field, a key and a branch', () => {
    const odd = z.object({
      name: z.string(),
      to: z.union([z.string(), z.strictObject({ email: z.string() })]),
      tags: z.record(z.string().min(1), z.string()),
    });
    expect(fieldErrorsOf(issuesOf(odd, { to: { email: 1 }, tags: { '': 'x' } }))).toEqual({
      name: ['is required'],
      'to.email': ['must be a string'],
      'tags.': ['must not be empty'],
    });
  });

  it('fieldErrorsOf reports why a key of a record is invalid', () => {
    const record = z.object({ tags: z.record(z.string().max(2), z.string()) });
    expect(fieldErrorsOf(issuesOf(record, { tags: { long: 'x' } }))).toEqual({
      'tags.long': [expect.stringContaining('2 characters')],
    });
  });

  it('fieldErrorsOf stays within its limits for any input', () => {
    const hostile = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 1]));
    expect(Object.keys(fieldErrorsOf(issuesOf(schema, hostile)))).toHaveLength(20);
  });
});
