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

/** Fields named by the rejection; null if the body is accepted. */
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
/** An object of exactly this many bytes of JSON. */
const ofBytes = (bytes: number) => ({ bio: x(bytes - utf8Bytes({ bio: '' })) });
const KB_16 = 16_384;

describe('eventItem', () => {
  it.each([
    ['eventType', 128],
    ['module', 64],
    ['userId', 256],
    ['anonymousId', 256],
    ['sessionId', 256],
    ['messageId', 128],
  ])("an event's %s may have 1 to %i characters", (field, most) => {
    expect(event({ [field]: x(most) })).toMatchObject({ [field]: x(most) });
    expect(refused(() => event({ [field]: x(most + 1) }))).toEqual([field]);
    expect(refused(() => event({ [field]: '' }))).toEqual([field]);
  });

  it.each(['module', 'eventType', 'userId', 'anonymousId', 'sessionId', 'messageId'])(
    'U+0000 in a %s is rejected',
    (field) => {
      expect(refused(() => event({ [field]: 'a\0b' }))).toEqual([field]);
    },
  );

  it.each(['module', 'eventType'])('an event without %s is rejected', (field) => {
    expect(refused(() => event({ [field]: undefined }))).toEqual([field]);
  });

  it('an event without userId and anonymousId is rejected', () => {
    expect(refused(() => event({ userId: undefined }))).toEqual(['userId']);
    expect(event({ userId: undefined, anonymousId: 'a1' })).toMatchObject({ userId: null, anonymousId: 'a1' });
  });

  it.each(['user.signed_up', 'user.signed_in', 'push.opened', 'user.identified', 'audience.entered'])(
    'W5 the reserved name %s is rejected with a public key only',
    (eventType) => {
      const body = { module: 'app', eventType, userId: 'ann' };
      expect(event({ eventType }).eventType).toBe(eventType);
      expect(eventItem(body, { ...reception, isPublic: false }).eventType).toBe(eventType);
      expect(refused(() => eventItem(body, { ...reception, isPublic: true }))).toEqual(['eventType']);
      expect(eventItem({ ...body, eventType: `${eventType}s` }, { ...reception, isPublic: true }).userId).toBe('ann');
    },
  );

  it('an event with a placeholder userId uses its anonymousId, and is rejected without one', () => {
    expect(event({ userId: ' Undefined', anonymousId: 'a1' })).toMatchObject({ userId: null, anonymousId: 'a1' });
    expect(event({ userId: '\0', anonymousId: 'a1' })).toMatchObject({ userId: null });
    expect(refused(() => event({ userId: 'null' }))).toEqual(['userId']);
  });

  it('an event may have 100 properties; 101 are rejected', () => {
    expect(Object.keys(event({ properties: members(100) }).properties)).toHaveLength(100);
    expect(refused(() => event({ properties: members(101) }))).toEqual(['properties']);
  });

  it('an array in a property may have 1,000 items; 1,001 are rejected', () => {
    const properties = (count: number) => ({ first: 1, list: Array.from({ length: count }, () => 0) });
    expect(event({ properties: properties(1_000) }).properties).toEqual(properties(1_000));
    expect(refused(() => event({ properties: properties(1_001) }))).toEqual(['properties.list']);
  });

  it('nested arrays in properties and traits may have 1,000 items; the path of a longer one is named', () => {
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

  it.each(['properties', 'traits', 'context'])('a %s that is not an object is rejected', (field) => {
    for (const value of [[], 'text', 1, null]) expect(refused(() => event({ [field]: value }))).toEqual([field]);
  });

  it('a trait name may have 1 to 128 characters', () => {
    expect(event({ traits: { [x(128)]: 1, a: 2 } }).traits).toEqual({ [x(128)]: 1, a: 2 });
    expect(refused(() => event({ traits: { [x(129)]: 1 } }))).toHaveLength(1);
    expect(refused(() => event({ traits: { '': 1 } }))).toEqual(['traits.']);
  });

  it.each(['traits', 'context'] as const)('16 KB of %s are stored unchanged; one byte more is truncated', (field) => {
    expect(event({ [field]: ofBytes(KB_16) })[field]).toEqual(ofBytes(KB_16));
    const cut = event({ [field]: ofBytes(KB_16 + 1) })[field];
    expect(cut).toMatchObject({ _truncated: true });
    expect(utf8Bytes(cut)).toBe(KB_16);
  });

  it.each(['traits', 'context'] as const)('a truncation mark set by the client is removed from its %s', (field) => {
    expect(event({ [field]: { _truncated: true, a: 1 } })[field]).toEqual({ a: 1 });
  });

  it('text in properties, traits and context is normalized for storage', () => {
    const dirty = { a: 'x\0y\ud800' };
    const clean = { a: 'x\ufffdy\ufffd' };
    const item = event({ properties: dirty, traits: dirty, context: dirty });
    expect(item).toMatchObject({ properties: clean, traits: clean, context: clean });
  });

  it('unknown fields and fields that Beckon sets are ignored', () => {
    const item = event({ id: 'mine', environment: 'prod', receivedAt: '2020-01-01', source: 'system', color: 'red' });
    expect(item).toEqual(event());
    expect(item).toMatchObject({ id: 'id-1', scope, receivedAt });
  });
});

describe('identifyItem', () => {
  it('an identify call rejects a placeholder userId and ignores a placeholder anonymousId', () => {
    expect(refused(() => identify({ userId: 'None', anonymousId: 'a1' }))).toEqual(['userId']);
    expect(identify({ anonymousId: 'undefined' })).toMatchObject({ userId: 'ann', anonymousId: null });
    expect(identify({ anonymousId: 'a1' })).toMatchObject({ userId: 'ann', anonymousId: 'a1' });
  });

  it.each([
    ['userId', 256],
    ['anonymousId', 256],
    ['messageId', 128],
  ])('the %s of an identify call may have at most %i characters', (field, most) => {
    expect(identify({ [field]: x(most) })).toMatchObject({ [field]: x(most) });
    expect(refused(() => identify({ [field]: x(most + 1) }))).toEqual([field]);
    expect(refused(() => identify({ [field]: '' }))).toEqual([field]);
    expect(refused(() => identify({ [field]: 'a\0b' }))).toEqual([field]);
  });

  it('an identify call without userId or traits is rejected', () => {
    expect(refused(() => identify({ userId: undefined, anonymousId: 'a1' }))).toEqual(['userId']);
    expect(refused(() => identify({ traits: undefined }))).toEqual(['traits']);
  });

  it('a trait name of 129 characters is rejected by identify', () => {
    expect(identify({ traits: { [x(128)]: 1 } }).traits).toEqual({ [x(128)]: 1 });
    expect(refused(() => identify({ traits: { [x(129)]: 1 } }))).toHaveLength(1);
  });

  it("identify stores 16 KB of traits, truncates more and removes a client's truncation mark", () => {
    expect(identify({ traits: ofBytes(KB_16) }).traits).toEqual(ofBytes(KB_16));
    expect(utf8Bytes(identify({ traits: ofBytes(KB_16 + 1) }).traits)).toBe(KB_16);
    expect(identify({ traits: { _truncated: true, a: 1 } }).traits).toEqual({ a: 1 });
  });

  it('an identify call becomes an event of the module profiles with a corrected timestamp', () => {
    const item = identify({ timestamp: '2026-03-01T09:00:00Z', sentAt: '2026-03-01T09:30:00Z' });
    expect(item).toMatchObject({ kind: 'identify', module: 'profiles', eventType: 'user.identified' });
    expect(item.timestamp).toEqual(new Date('2026-03-01T09:30:00Z'));
  });
});

describe('the timestamp of an event', () => {
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

  it('an event without timestamp has the time of reception', () => {
    expect(timeOf()).toBe(0);
    expect(timeOf(undefined, at(-HOUR))).toBe(0);
  });

  it('a timestamp up to 24 hours ahead is kept; a later one becomes the time of reception', () => {
    expect(timeOf(at(24 * HOUR))).toBe(24 * HOUR);
    expect(timeOf(at(24 * HOUR + 1))).toBe(0);
  });

  it('a timestamp in the distant past is kept', () => {
    expect(timeOf(at(-20_000 * 24 * HOUR))).toBe(-20_000 * 24 * HOUR);
    expect(event({ timestamp: '1000-01-01' }).timestamp).toEqual(new Date('1000-01-01T00:00:00Z'));
  });

  it.each([
    ['the zero of some languages', '0001-01-01T00:00:00', undefined],
    ['the last moment of the year 999', '0999-12-31T23:59:59.999Z', undefined],
    ['a device whose clock is thousands of years ahead', '2026-03-01', '9999-12-31'],
  ])('a timestamp before the year 1000 becomes the time of reception: %s', (_, timestamp, sentAt) => {
    expect(timeOf(timestamp, sentAt)).toBe(0);
  });

  it.each([
    ['behind', -1],
    ['ahead', 1],
  ])('a timestamp is corrected if the clock of the client is more than 5 seconds %s', (_, sign) => {
    expect(timeOf(at(-HOUR), at(sign * 5_000))).toBe(-HOUR);
    expect(timeOf(at(-HOUR), at(sign * 5_001))).toBe(-HOUR - sign * 5_001);
    expect(timeOf(at(-HOUR), at(sign * 10 * HOUR))).toBe(-HOUR - sign * 10 * HOUR);
  });

  it('the bounds apply to the corrected timestamp', () => {
    expect(timeOf(at(30 * HOUR), at(10 * HOUR))).toBe(20 * HOUR);
    expect(timeOf(at(20 * HOUR), at(-10 * HOUR))).toBe(0);
  });

  it("the batch's sentAt corrects events without their own", () => {
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
  ])("%s is read with its zone or as UTC, independent of the machine's zone", (timestamp, hours) => {
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
  ])('the day %s is accepted and the non-existent day %s is rejected', (day, other) => {
    expect(refused(() => event({ timestamp: day, sentAt: day }))).toBeNull();
    expect(refused(() => event({ timestamp: other }))).toEqual(['timestamp']);
    expect(refused(() => identify({ sentAt: other }))).toEqual(['sentAt']);
  });

  it.each(['yesterday', '2026', '2026-13-01', 'March 7, 2026', '2026-03-01T25:00:00Z', ''])(
    'text that is not an ISO 8601 date-time is rejected: %s',
    (text) => {
      expect(refused(() => event({ timestamp: text }))).toEqual(['timestamp']);
      expect(refused(() => event({ sentAt: text }))).toEqual(['sentAt']);
    },
  );
});
