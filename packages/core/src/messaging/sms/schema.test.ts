import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../foundation/errors.ts';
import { localisedSms, MAX_TO, parseSmsSend } from './schema.ts';

const ANN = '+14155550123';
const sms = { to: ANN, body: 'Hello' };

const refused = (body: unknown): readonly string[] => {
  try {
    parseSmsSend(body);
  } catch (error) {
    if (!(error instanceof BeckonError) || error.code !== 'VALIDATION_ERROR') throw error;
    // Proof of the cast: every VALIDATION_ERROR of a parse is made by validationError, which sets fieldErrors.
    const { fieldErrors } = error.details as { fieldErrors: Record<string, readonly string[]> };
    return Object.keys(fieldErrors);
  }
  return [];
};

describe('parseSmsSend', () => {
  it('parseSmsSend turns a body into a request', () => {
    expect(
      parseSmsSend({
        to: [ANN, '+491701234567'],
        from: 'Acme',
        body: 'Hi {{trait.name}}',
        mediaUrls: ['https://x.test/a.png'],
        maxSegments: 2,
        validitySeconds: 600,
        class: 'transactional',
        category: 'orders',
        variables: { order: { id: 17 } },
        tags: { kind: 'spring' },
        scheduledFor: '2026-12-01T10:00:00+01:00',
        dryRun: true,
      }),
    ).toEqual({
      source: 'api',
      class: 'transactional',
      category: 'orders',
      variables: { event: { order: { id: 17 } } },
      tags: { kind: 'spring' },
      scheduledFor: new Date('2026-12-01T09:00:00Z'),
      isDryRun: true,
      content: {
        from: 'Acme',
        body: 'Hi {{trait.name}}',
        mediaUrls: ['https://x.test/a.png'],
        maxSegments: 2,
        validitySeconds: 600,
      },
      recipients: [
        { kind: 'address', address: ANN, name: null },
        { kind: 'address', address: '+491701234567', name: null },
      ],
      warnings: [],
    });
  });

  it('a text message is by default marketing, has at most four segments, starts now and is no dry run', () => {
    expect(parseSmsSend(sms)).toMatchObject({
      class: 'marketing',
      scheduledFor: null,
      isDryRun: false,
      content: { body: 'Hello', maxSegments: 4 },
    });
  });

  it('recipients are user ids or numbers, never both or neither', () => {
    expect(parseSmsSend({ userIds: ['u1'], body: 'Hi' }).recipients).toEqual([{ kind: 'user', userId: 'u1' }]);
    expect(refused({ ...sms, userIds: ['u1'] })).toEqual(['to']);
    expect(refused({ body: 'Hi' })).toEqual(['to']);
  });

  it('numbers must be E.164, at most 50, and an invalid one is named', () => {
    expect(refused({ ...sms, to: '0049 170' })).toEqual(['to']);
    expect(refused({ ...sms, to: [ANN, '123'] })).toEqual(['to.1']);
    const many = Array.from({ length: MAX_TO }, (_, at) => `+1415555${String(at).padStart(4, '0')}`);
    expect(parseSmsSend({ ...sms, to: many }).recipients).toHaveLength(50);
    expect(refused({ ...sms, to: [...many, ANN] })).toEqual(['to']);
  });

  it('a text message has one sender, or that of the credentials', () => {
    expect(parseSmsSend({ ...sms, messagingServiceId: 'MG1' }).content).toMatchObject({ messagingServiceId: 'MG1' });
    expect(refused({ ...sms, from: 'Acme', messagingServiceId: 'MG1' })).toEqual(['messagingServiceId']);
    expect(refused({ ...sms, from: 'a name that is too long' })).toEqual(['from']);
    expect(refused({ ...sms, messagingServiceId: '../x' })).toEqual(['messagingServiceId']);
  });

  it('a body is required and all fields are limited', () => {
    expect(refused({ to: ANN })).toEqual(['body']);
    expect(refused({ ...sms, body: '' })).toEqual(['body']);
    expect(refused({ ...sms, maxSegments: 0 })).toEqual(['maxSegments']);
    expect(refused({ ...sms, maxSegments: 11 })).toEqual(['maxSegments']);
    expect(refused({ ...sms, maxSegments: 1.5 })).toEqual(['maxSegments']);
    expect(refused({ ...sms, validitySeconds: 0 })).toEqual(['validitySeconds']);
    expect(refused({ ...sms, validitySeconds: 36_001 })).toEqual(['validitySeconds']);
    expect(refused({ ...sms, mediaUrls: ['file:///etc/passwd'] })).toEqual(['mediaUrls.0']);
    expect(refused({ ...sms, mediaUrls: ['https://u:p@x.test/'] })).toEqual(['mediaUrls.0']);
    expect(refused({ ...sms, mediaUrls: Array(11).fill('https://x.test/a') })).toEqual(['mediaUrls']);
    expect(refused({ ...sms, scheduledFor: 'tomorrow' })).toEqual(['scheduledFor']);
  });

  it('a text message may have localized text only', () => {
    const localizedBody = { es: 'Hola' };
    expect(parseSmsSend({ to: ANN, localizedBody }).content).toEqual({ localizedBody, maxSegments: 4 });
    expect(parseSmsSend({ to: ANN, body: '', localizedBody }).content).toMatchObject({ body: '' });
    expect(refused({ to: ANN, localizedBody: {} })).toEqual(['body']);
    expect(refused({ to: ANN, localizedBody: { 'not a tag': 'x' } })).toEqual(['localizedBody.not a tag']);
  });

  it("localized text is that of the reader's language, or none", () => {
    const localizedTo = (body: string, locale: string | null) => {
      const made = localisedSms({ body, localizedBody: { es: 'Hola' }, maxSegments: 4 }, locale);
      return 'unsupported' in made ? null : [made.content.body, made.tag];
    };
    expect(localizedTo('Hi', 'es_MX')).toEqual(['Hola', 'es']);
    expect(localizedTo('Hi', 'fr')).toEqual(['Hi', null]);
    expect(localizedTo('', 'fr')).toBeNull();
    expect(localizedTo('', null)).toBeNull();
  });

  it('a text message is for numbers, users or an audience, and for one of them only', () => {
    const audienceId = '01890000-0000-7000-8000-000000000000';
    expect(parseSmsSend({ body: 'x', audienceId })).toMatchObject({ source: 'audience', audienceId, recipients: [] });
    expect(parseSmsSend({ ...sms, audienceId: null })).toMatchObject({ source: 'api' });
    expect(refused({ body: 'x', audienceId: 'x' })).toEqual(['audienceId']);
    for (const two of [{ ...sms, audienceId }, { body: 'x', userIds: ['ann'], audienceId }, { body: 'x' }])
      expect(refused(two)).toEqual(['to']);
  });

  it('unknown keys get a warning', () => {
    expect(parseSmsSend({ ...sms, colour: 'red', projectId: 'p' }).warnings).toEqual([
      'The key colour is unknown and was ignored.',
    ]);
  });

  it('marketing from an alphanumeric sender, which cannot be answered, gets a warning', () => {
    const warnings = (more: object) => parseSmsSend({ ...sms, ...more }).warnings;
    expect(warnings({ from: 'Acme' })).toEqual([expect.stringContaining('STOP')]);
    expect(warnings({ from: 'Acme', class: 'transactional' })).toEqual([]);
    for (const from of ['+15005550006', '12345']) expect(warnings({ from })).toEqual([]);
    expect(warnings({ messagingServiceId: 'MG1' })).toEqual([]);
  });

  it('the text is made storable in both databases', () => {
    expect(parseSmsSend({ ...sms, body: 'a\0b\ud800' }).content.body).toBe('a\ufffdb\ufffd');
  });

  it.each([null, 'text', [], 7])('the body %j is rejected as a whole', (body) => {
    expect(refused(body)).not.toEqual([]);
  });
});
