import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../../foundation/errors.ts';
import { parseAbTest, parseAbTestPatch, parseComplete } from './schema.ts';

const problems = (parse: () => unknown): readonly string[] => {
  try {
    parse();
  } catch (error) {
    if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
    return Object.keys(error.details?.fieldErrors ?? {});
  }
  return [];
};
const weights = (...all: number[]) => all.map((weight, at) => ({ key: `v${at}`, weight }));
const test = (more: object = {}) => ({ name: 'T', variants: weights(50, 50), ...more });
const push = (more: object) => problems(() => parseAbTest('push', test(more)));

describe('a new A/B test', () => {
  it('a test counts opens within three days by default', () => {
    expect(parseAbTest('push', test()).metric).toEqual({ type: 'open', windowHours: 72 });
    const metric = { type: 'event', eventType: 'paid', windowHours: 1.5 };
    expect(parseAbTest('push', test({ metric })).metric).toEqual(metric);
    expect(parseAbTest('push', test({ metric: { type: 'click' } })).metric).toEqual({ type: 'click', windowHours: 72 });
  });

  it.each([
    ['weights that sum to less', { variants: weights(50, 49) }, 'variants'],
    ['a sum that misses 100 by more than rounding', { variants: weights(50, 50.00001) }, 'variants'],
    ['a weight between 0 and 1', { variants: weights(0.5, 99.5) }, 'variants.0.weight'],
    ['a negative weight', { variants: weights(-1, 51, 50) }, 'variants.0.weight'],
    ['no variant', { variants: [] }, 'variants'],
    [
      'data with a key that Android keeps for itself',
      { variants: [{ key: 'a', weight: 100, data: { message_type: 'x' } }] },
      'variants.0.data.message_type',
    ],
    [
      'two variants of one key',
      {
        variants: [
          { key: 'a', weight: 50 },
          { key: 'a', weight: 50 },
        ],
      },
      'variants.1.key',
    ],
    ['a variant without a key', { variants: [{ weight: 100 }] }, 'variants.0.key'],
    ['a field of another channel', { variants: [{ key: 'a', subject: 's', weight: 100 }] }, 'variants.0.subject'],
    ['a key that is not known', { colour: 'red' }, 'colour'],
    ['no name', { name: '' }, 'name'],
    ['an unknown metric', { metric: { type: 'sale' } }, 'metric.type'],
    ['events without a name', { metric: { type: 'event' } }, 'metric.eventType'],
    ['a name of events for opens', { metric: { type: 'open', eventType: 'paid' } }, 'metric.eventType'],
    ['a window of no time', { metric: { type: 'open', windowHours: 0 } }, 'metric.windowHours'],
    ['too much text', { variants: [{ key: 'a', weight: 100, data: { x: 'x'.repeat(262_144) } }] }, 'variants'],
  ])('a new test with %s is rejected', (_, more, field) => {
    expect(push(more)).toEqual([field]);
  });

  it('weights may be 0 or fractional, and their sum may be off by rounding', () => {
    expect(push({ variants: weights(0, 100) })).toEqual([]);
    expect(push({ variants: weights(33.33, 33.33, 33.34) })).toEqual([]);
    expect(push({ variants: weights(50, 50 + 1e-10) })).toEqual([]);
  });

  it('variant fields are those of the channel', () => {
    const mail = { key: 'a', weight: 100, subject: 's', text: 't', html: '<p>', localized: { es: { text: 'u' } } };
    expect(parseAbTest('email', test({ variants: [mail] })).variants).toEqual([mail]);
    const text = { key: 'a', weight: 100, body: 'b', localizedBody: { es: 'c' } };
    expect(parseAbTest('sms', test({ variants: [text] })).variants).toEqual([text]);
    expect(problems(() => parseAbTest('sms', test({ variants: [{ ...text, title: 't' }] })))).toEqual([
      'variants.0.title',
    ]);
  });
});

describe('a change of an A/B test', () => {
  it('omitted fields of a change stay undefined', () => {
    expect(parseAbTestPatch('push', { status: 'paused' })).toEqual({ status: 'paused' });
    expect(parseAbTestPatch('push', { metric: { type: 'click' } })).toEqual({
      metric: { type: 'click', windowHours: 72 },
    });
  });

  it('a winner can be named only when the test is completed', () => {
    expect(parseAbTestPatch('push', { status: 'completed', winnerKey: 'a' })).toMatchObject({ winnerKey: 'a' });
    expect(problems(() => parseAbTestPatch('push', { winnerKey: 'a' }))).toEqual(['winnerKey']);
    expect(problems(() => parseAbTestPatch('push', { status: 'over' }))).toEqual(['status']);
  });

  it('a test can be completed with or without a winner', () => {
    expect(parseComplete(undefined)).toEqual({});
    expect(parseComplete({ winnerKey: 'a' })).toEqual({ winnerKey: 'a' });
    expect(problems(() => parseComplete({ winner: 'a' }))).toEqual(['winner']);
  });
});
