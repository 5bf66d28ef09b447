import { afterEach, describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import { utf8Bytes } from '../../foundation/json.ts';
import { eventItem, identifyItem } from './envelope.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const receivedAt = new Date('2026-03-01T10:00:00.000Z');
const reception = { scope, receivedAt, nextId: () => 'id-1' };

const event = (fields: object = {}, sentAt?: string) =>
  eventItem({ module: 'app', eventType: 'opened', userId: 'ann', ...fields }, reception, sentAt);
const identify = (fields: object = {}) => identifyItem({ userId: 'ann', traits: {}, ...fields }, reception);

/** The fields that a refusal names; null when the body is taken. */
const refused = (take: () => unknown): string[] | null => {
  try {
    take();
    return null;
  } catch (error) {
    if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
    return Object.keys(error.details?.fieldErrors ?? {});
  }
};

const x = (count: number): string => 'x'.repeat(count);
const members = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
/** An object of exactly so many bytes of JSON. */
const ofBytes = (bytes: number) => ({ bio: x(bytes - utf8Bytes({ bio: '' })) });
const KB_16 = 16_384;

describe('the envelope of an event', () => {
  it.each([
    ['eventType', 128],
    ['module', 64],
    ['userId', 256],
    ['anonymousId', 256],
    ['sessionId', 256],
    ['messageId', 128],
  ])('takes a %s of %i characters, not one more and not none', (field, most) => {
    expect(event({ [field]: x(most) })).toMatchObject({ [field]: x(most) });
    expect(refused(() => event({ [field]: x(most + 1) }))).toEqual([field]);
    expect(refused(() => event({ [field]: '' }))).toEqual([field]);
  });

  it.each(['module', 'eventType', 'userId', 'anonymousId', 'sessionId', 'messageId'])(
    'refuses U+0000 in a %s',
    (field) => {
      expect(refused(() => event({ [field]: 'a\0b' }))).toEqual([field]);
    },
  );

  it.each(['module', 'eventType'])('needs a %s', (field) => {
    expect(refused(() => event({ [field]: undefined }))).toEqual([field]);
  });

  it('needs a userId or an anonymousId', () => {
    expect(refused(() => event({ userId: undefined }))).toEqual(['userId']);
    expect(event({ userId: undefined, anonymousId: 'a1' })).toMatchObject({ userId: null, anonymousId: 'a1' });
  });

  it.each(['user.signed_up', 'push.opened', 'user.identified', 'audience.entered'])(
    'takes the name %s, which the service raises, unless the request came with a public key',
    (eventType) => {
      const body = { module: 'app', eventType, userId: 'ann' };
      expect(event({ eventType }).eventType).toBe(eventType);
      expect(eventItem(body, { ...reception, isPublic: false }).eventType).toBe(eventType);
      expect(refused(() => eventItem(body, { ...reception, isPublic: true }))).toEqual(['eventType']);
      expect(eventItem({ ...body, eventType: `${eventType}s` }, { ...reception, isPublic: true }).userId).toBe('ann');
    },
  );

  it('leaves an event with a placeholder for its userId to its anonymousId, and needs one then', () => {
    expect(event({ userId: ' Undefined', anonymousId: 'a1' })).toMatchObject({ userId: null, anonymousId: 'a1' });
    expect(event({ userId: '\0', anonymousId: 'a1' })).toMatchObject({ userId: null });
    expect(refused(() => event({ userId: 'null' }))).toEqual(['userId']);
  });

  it('takes 100 properties and refuses 101', () => {
    expect(Object.keys(event({ properties: members(100) }).properties)).toHaveLength(100);
    expect(refused(() => event({ properties: members(101) }))).toEqual(['properties']);
  });

  it('takes 1,000 items in the array of a property and refuses 1,001', () => {
    const properties = (count: number) => ({ first: 1, list: Array.from({ length: count }, () => 0) });
    expect(event({ properties: properties(1_000) }).properties).toEqual(properties(1_000));
    expect(refused(() => event({ properties: properties(1_001) }))).toEqual(['properties.list']);
  });

  it('takes 1,000 items in an array at any depth of properties and traits, and refuses 1,001 by its path', () => {
    const within = (count: number) => ({ a: [{ b: { c: Array.from({ length: count }, () => 0) } }] });
    for (const field of ['properties', 'traits'] as const) {
      expect(event({ [field]: within(1_000) })[field]).toEqual(within(1_000));
      expect(refused(() => event({ [field]: within(1_001) }))).toEqual([`${field}.a.0.b.c`]);
    }
    expect(refused(() => event({ properties: { a: [Array.from({ length: 1_001 }, () => [])] } }))).toEqual([
      'properties.a.0',
    ]);
    expect(refused(() => identify({ traits: within(1_001) }))).toEqual(['traits.a.0.b.c']);
  });

  it.each(['properties', 'traits', 'context'])('takes only an object as %s', (field) => {
    for (const value of [[], 'text', 1, null]) expect(refused(() => event({ [field]: value }))).toEqual([field]);
  });

  it('takes trait names of 1 to 128 characters', () => {
    expect(event({ traits: { [x(128)]: 1, a: 2 } }).traits).toEqual({ [x(128)]: 1, a: 2 });
    expect(refused(() => event({ traits: { [x(129)]: 1 } }))).toHaveLength(1);
    expect(refused(() => event({ traits: { '': 1 } }))).toEqual(['traits.']);
  });

  it.each(['traits', 'context'] as const)('keeps 16 KB of %s whole and cuts what has a byte more', (field) => {
    expect(event({ [field]: ofBytes(KB_16) })[field]).toEqual(ofBytes(KB_16));
    const cut = event({ [field]: ofBytes(KB_16 + 1) })[field];
    expect(cut).toMatchObject({ _truncated: true });
    expect(utf8Bytes(cut)).toBe(KB_16);
  });

  it.each(['traits', 'context'] as const)("drops a client's own mark of truncation from its %s", (field) => {
    expect(event({ [field]: { _truncated: true, a: 1 } })[field]).toEqual({ a: 1 });
  });

  it('makes the text of properties, traits and context storable', () => {
    const dirty = { a: 'x\0y\ud800' };
    const clean = { a: 'x\ufffdy\ufffd' };
    const item = event({ properties: dirty, traits: dirty, context: dirty });
    expect(item).toMatchObject({ properties: clean, traits: clean, context: clean });
  });

  it('ignores fields that it does not know, and those that are the service\u2019s to say', () => {
    const item = event({ id: 'mine', environment: 'prod', receivedAt: '2020-01-01', source: 'system', color: 'red' });
    expect(item).toEqual(event());
    expect(item).toMatchObject({ id: 'id-1', scope, receivedAt });
  });
});

describe('the envelope of an identify call', () => {
  it('refuses a placeholder for its userId, and takes none for the anonymousId of the user', () => {
    expect(refused(() => identify({ userId: 'None', anonymousId: 'a1' }))).toEqual(['userId']);
    expect(identify({ anonymousId: 'undefined' })).toMatchObject({ userId: 'ann', anonymousId: null });
    expect(identify({ anonymousId: 'a1' })).toMatchObject({ userId: 'ann', anonymousId: 'a1' });
  });

  it.each([
    ['userId', 256],
    ['anonymousId', 256],
    ['messageId', 128],
  ])('takes a %s of at most %i characters', (field, most) => {
    expect(identify({ [field]: x(most) })).toMatchObject({ [field]: x(most) });
    expect(refused(() => identify({ [field]: x(most + 1) }))).toEqual([field]);
    expect(refused(() => identify({ [field]: '' }))).toEqual([field]);
    expect(refused(() => identify({ [field]: 'a\0b' }))).toEqual([field]);
  });

  it('needs a userId and traits', () => {
    expect(refused(() => identify({ userId: undefined, anonymousId: 'a1' }))).toEqual(['userId']);
    expect(refused(() => identify({ traits: undefined }))).toEqual(['traits']);
  });

  it('refuses a trait name of 129 characters', () => {
    expect(identify({ traits: { [x(128)]: 1 } }).traits).toEqual({ [x(128)]: 1 });
    expect(refused(() => identify({ traits: { [x(129)]: 1 } }))).toHaveLength(1);
  });

  it('keeps 16 KB of traits whole, cuts what has a byte more and drops a mark of the client', () => {
    expect(identify({ traits: ofBytes(KB_16) }).traits).toEqual(ofBytes(KB_16));
    expect(utf8Bytes(identify({ traits: ofBytes(KB_16 + 1) }).traits)).toBe(KB_16);
    expect(identify({ traits: { _truncated: true, a: 1 } }).traits).toEqual({ a: 1 });
  });

  it('becomes an event of the module profiles, with a corrected time of its own', () => {
    const item = identify({ timestamp: '2026-03-01T09:00:00Z', sentAt: '2026-03-01T09:30:00Z' });
    expect(item).toMatchObject({ kind: 'identify', module: 'profiles', eventType: 'user.identified' });
    expect(item.timestamp).toEqual(new Date('2026-03-01T09:30:00Z'));
  });
});

describe('the time of an event', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    process.env['TZ'] = zone;
    if (zone === undefined) delete process.env['TZ'];
  });
  const at = (ms: number): string => new Date(receivedAt.getTime() + ms).toISOString();
  const timeOf = (timestamp?: string, sentAt?: string, batchSentAt?: string): number =>
    event({ ...(timestamp && { timestamp }), ...(sentAt && { sentAt }) }, batchSentAt).timestamp.getTime() -
    receivedAt.getTime();
  const HOUR = 3_600_000;

  it('is that of its reception when it says none', () => {
    expect(timeOf()).toBe(0);
    expect(timeOf(undefined, at(-HOUR))).toBe(0);
  });

  it('may be 24 hours ahead, and is now when it is further ahead', () => {
    expect(timeOf(at(24 * HOUR))).toBe(24 * HOUR);
    expect(timeOf(at(24 * HOUR + 1))).toBe(0);
  });

  it('may be long ago', () => {
    expect(timeOf(at(-20_000 * 24 * HOUR))).toBe(-20_000 * 24 * HOUR);
    expect(event({ timestamp: '1000-01-01' }).timestamp).toEqual(new Date('1000-01-01T00:00:00Z'));
  });

  it.each([
    ['the zero of some languages', '0001-01-01T00:00:00', undefined],
    ['the last moment of the year 999', '0999-12-31T23:59:59.999Z', undefined],
    ['a device whose clock is thousands of years ahead', '2026-03-01', '9999-12-31'],
  ])('is now where it is before the year 1000: %s', (_, timestamp, sentAt) => {
    expect(timeOf(timestamp, sentAt)).toBe(0);
  });

  it.each([
    ['behind', -1],
    ['ahead', 1],
  ])('is corrected when the clock that sent it is more than 5 seconds %s', (_, sign) => {
    expect(timeOf(at(-HOUR), at(sign * 5_000))).toBe(-HOUR);
    expect(timeOf(at(-HOUR), at(sign * 5_001))).toBe(-HOUR - sign * 5_001);
    expect(timeOf(at(-HOUR), at(sign * 10 * HOUR))).toBe(-HOUR - sign * 10 * HOUR);
  });

  it('is bounded after it was corrected', () => {
    expect(timeOf(at(30 * HOUR), at(10 * HOUR))).toBe(20 * HOUR);
    expect(timeOf(at(20 * HOUR), at(-10 * HOUR))).toBe(0);
  });

  it("is corrected by the batch's sentAt where the event has none of its own", () => {
    expect(timeOf(at(-HOUR), undefined, at(-2 * HOUR))).toBe(HOUR);
    expect(timeOf(at(-HOUR), at(-3 * HOUR), at(-2 * HOUR))).toBe(2 * HOUR);
  });

  it.each([
    ['2026-03-01T09:00:00+01:00', -2],
    ['2026-03-01T09:00:00-0200', 1],
    ['2026-03-01T09:00Z', -1],
    ['2026-03-01', -10],
    ['2026-03-01T09:00:00', -1],
    ['2026-03-01T09:00', -1],
  ])('reads %s with its zone or as UTC, wherever the machine is', (timestamp, hours) => {
    process.env['TZ'] = 'America/New_York';
    expect(timeOf(timestamp)).toBe(hours * HOUR);
  });

  it.each([
    ['2024-02-29', '2024-02-30'],
    ['2000-02-29', '1900-02-29'],
    ['2025-02-28T10:00:00Z', '2025-02-29T10:00:00Z'],
    ['2025-04-30T23:59:59.999+05:00', '2025-04-31T00:00:00+05:00'],
    ['2025-12-31', '2025-12-32'],
    ['2025-01-01', '2025-01-00'],
  ])('takes the day %s and refuses %s, which there is not', (day, other) => {
    expect(refused(() => event({ timestamp: day, sentAt: day }))).toBeNull();
    expect(refused(() => event({ timestamp: other }))).toEqual(['timestamp']);
    expect(refused(() => identify({ sentAt: other }))).toEqual(['sentAt']);
  });

  it.each(['yesterday', '2026', '2026-13-01', 'March 7, 2026', '2026-03-01T25:00:00Z', ''])(
    'refuses what is no ISO 8601 date-time: %s',
    (text) => {
      expect(refused(() => event({ timestamp: text }))).toEqual(['timestamp']);
      expect(refused(() => event({ sentAt: text }))).toEqual(['sentAt']);
    },
  );
});
