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
  it('takes the time to come back from the details of RATE_LIMITED', () => {
    const error = new BeckonError('RATE_LIMITED', 'The bucket is empty.', { details: { retryAfterSeconds: 7 } });
    expect(error.retryAfterSeconds).toBe(7);
  });

  it('keeps its cause and its stack, and has none when none is given', () => {
    const cause = new Error('socket closed');
    expect(internal(cause).cause).toBe(cause);
    expect(internal(cause).message).not.toContain('socket');
    expect('cause' in notFound()).toBe(false);
    expect(notFound().stack).toContain('errors.test.ts');
  });

  it('has no code again that was retired, such as PROVIDER_ERROR', () => {
    expect(retiredCodes).toEqual({ PROVIDER_ERROR: 502 });
    for (const code of Object.keys(retiredCodes)) expect(code in catalogue).toBe(false);
  });

  it('is refused by the compiler without the details of its code', () => {
    // @ts-expect-error PAYLOAD_TOO_LARGE names its limit
    const noMax = () => new BeckonError('PAYLOAD_TOO_LARGE', 'Too large.');
    // @ts-expect-error OVERLOADED names a time to come back
    const noTime = () => new BeckonError('OVERLOADED', 'Later.');
    // @ts-expect-error tier_required names the plan
    const noPlan = () => new BeckonError('tier_required', 'Upgrade.', { details: { plan: 'growth' } });
    expect([noMax, noTime, noPlan].map((make) => make().code)).toEqual([
      'PAYLOAD_TOO_LARGE',
      'OVERLOADED',
      'tier_required',
    ]);
  });

  it('carries the status that the catalogue gives to its code', () => {
    for (const [code, status] of Object.entries(catalogue)) {
      // Safe: codes come from the catalogue; which details each needs does not matter to its status.
      const error = new BeckonError(...([code, 'x', { retryAfterSeconds: 1 }] as never));
      expect([code, error.status]).toEqual([code, status]);
    }
  });

  it('is recognised by its code among other thrown values', () => {
    expect(isBeckonError(conflict('final'), 'CONFLICT')).toBe(true);
    expect(isBeckonError(conflict('final'), 'NOT_FOUND')).toBe(false);
    expect(isBeckonError({ code: 'CONFLICT' }, 'CONFLICT')).toBe(false);
  });
});

describe('the error factories', () => {
  it('give the codes, statuses and details of the catalogue', () => {
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

  it('say what was sought and where, and never by which value', () => {
    expect(notFound().message).toBe('No such resource.');
    expect(notFound('org with this id').message).toBe('No org with this id.');
    expect(notFound('send with this id', { projectId: 'p1', environment: 'test' }).message).toBe(
      'No send with this id in environment test of project p1.',
    );
  });

  it('ask to come back after a second while an idempotent request runs, and otherwise only where told', () => {
    expect(conflict('idempotency_in_progress').retryAfterSeconds).toBe(1);
    expect(conflict('final').retryAfterSeconds).toBeUndefined();
    expect(overloaded(5).retryAfterSeconds).toBe(5);
  });

  it('give a conflict of an unknown reason a sentence as well', () => {
    expect(conflict('phone_taken').message).toMatch(/conflicts/);
  });
});

describe('validationError', () => {
  const fieldErrors = (error: BeckonError) => error.details?.['fieldErrors'];

  it('names at most 20 fields with at most 5 messages each', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, ['a', 'b', 'c', 'd', 'e', 'f']]));
    const named = fieldErrors(validationError(many));
    expect(Object.keys(named ?? {})).toHaveLength(20);
    expect(named).toHaveProperty('f0', ['a', 'b', 'c', 'd', 'e']);
  });

  it('cuts a long name to 128 characters of valid text and joins names that become one', () => {
    const named = fieldErrors(
      validationError({ [`${'k'.repeat(127)}\u{1F600}`]: ['x'], [`${'k'.repeat(127)}\ufffdmore`]: ['y'] }),
    );
    expect(named).toEqual({ [`${'k'.repeat(127)}\ufffd`]: ['x', 'y'] });
  });

  it('adds messages to a name that it has when it takes no further names', () => {
    const long = 'k'.repeat(128);
    const others = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`f${n}`, ['x']]));
    const named = fieldErrors(validationError({ [long]: ['a'], ...others, [`${long}k`]: ['b'] }));
    expect(named).toHaveProperty([long], ['a', 'b']);
    expect(Object.keys(named ?? {})).toHaveLength(20);
  });

  it('carries a field named __proto__ as data', () => {
    const named = fieldErrors(validationError(JSON.parse('{"__proto__":["no"]}')));
    expect(JSON.stringify(named)).toBe('{"__proto__":["no"]}');
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

  it('names nested fields by dotted path and puts a prefix before them', () => {
    const error = issuesOf(schema, { name: 'a', items: [{ weight: 1 }, { weight: 'x' }] });
    expect(Object.keys(fieldErrorsOf(error))).toEqual(['items.1.weight']);
    expect(Object.keys(fieldErrorsOf(error, 'workflows.2'))).toEqual(['workflows.2.items.1.weight']);
  });

  it('names the whole value body, or the prefix', () => {
    const error = issuesOf(schema, null);
    expect(Object.keys(fieldErrorsOf(error))).toEqual(['body']);
    expect(Object.keys(fieldErrorsOf(error, 'trigger'))).toEqual(['trigger']);
  });

  it('names each unknown key at its own place', () => {
    const error = issuesOf(schema, { name: 'a', items: [{ weight: 1, size: 2 }], extra: 1 });
    expect(Object.keys(fieldErrorsOf(error)).sort()).toEqual(['extra', 'items.0.size']);
  });

  it('tells what was wrong with the branch of a union that the value was meant for', () => {
    const to = z.object({ to: z.union([z.string(), z.strictObject({ email: z.string() })]) });
    expect(Object.keys(fieldErrorsOf(issuesOf(to, { to: { email: 1 } })))).toEqual(['to.email']);
    expect(Object.keys(fieldErrorsOf(issuesOf(to, { to: 1 })))).toEqual(['to']);
  });

  it('says plainly what is wrong, of a field, of a key and of a branch', () => {
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

  it('says why a key of a record was refused', () => {
    const record = z.object({ tags: z.record(z.string().max(2), z.string()) });
    expect(fieldErrorsOf(issuesOf(record, { tags: { long: 'x' } }))).toEqual({
      'tags.long': [expect.stringContaining('2 characters')],
    });
  });

  it('stays small whatever the input names', () => {
    const hostile = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 1]));
    expect(Object.keys(fieldErrorsOf(issuesOf(schema, hostile)))).toHaveLength(20);
  });
});
